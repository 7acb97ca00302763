//! A derive that derives nothing.
//!
//! The descriptions of formats and of the API are committed files; only the tests, which hold them against the types, make
//! them anew. Everywhere else `#[derive(JsonSchema)]` stands for this macro, so that nobody waits for code that nobody
//! calls, and the types need not say twice when they are described.
//!
//! ```
//! use walras_no_schema::JsonSchema;
//!
//! #[derive(JsonSchema)]
//! #[schemars(title = "Nothing")]
//! struct Described;
//!
//! let _ = Described;
//! ```

use proc_macro::TokenStream;

/// Accepts what the derive of `schemars` accepts, and adds nothing.
#[proc_macro_derive(JsonSchema, attributes(schemars))]
pub fn nothing(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
