//! What a provider's statement says of a person beyond what the standard knows: the groups that they are in, under whatever name.

use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey,
    CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreRevocableToken,
    CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AdditionalClaims, Client, EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet,
    IdTokenClaims, IdTokenFields, StandardErrorResponse, StandardTokenResponse,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Whatever else a statement says.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Others {
    #[serde(flatten)]
    all: BTreeMap<String, Value>,
}

impl AdditionalClaims for Others {}

/// A statement, once its signature was looked at.
pub(super) type Claims = IdTokenClaims<Others, CoreGenderClaim>;

type Fields = IdTokenFields<
    Others,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;

/// A client of a provider that reads such statements.
pub(super) type Asker = Client<
    Others,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    StandardTokenResponse<Fields, CoreTokenType>,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// The groups that a statement names under a claim: a list of texts, or one text.
pub(super) fn groups_in(claims: &Claims, claim: &str) -> Vec<String> {
    groups(claims.additional_claims(), claim)
}

fn groups(others: &Others, claim: &str) -> Vec<String> {
    match others.all.get(claim) {
        Some(Value::String(group)) => vec![group.clone()],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_texts_in_a_list_or_alone() {
        let others: Others =
            serde_json::from_str(r#"{"groups": ["a", 1, "b"], "role": "c", "deep": {"a": 1}}"#).unwrap();
        assert_eq!(groups(&others, "groups"), ["a", "b"]);
        assert_eq!(groups(&others, "role"), ["c"]);
        assert!(groups(&others, "deep").is_empty() && groups(&others, "none").is_empty());
    }
}
