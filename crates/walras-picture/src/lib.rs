//! Pictures of plans, and charts of experiments.
//!
//! [`gantt()`] turns a [`Scene`] into one self-contained SVG: nodes as rows grouped by site, owners' work
//! hatched, free time light, windows coloured by job. A node that is sold in units is a band, of which each task takes its part. The picture has no scripts, fonts or style sheets from
//! elsewhere, and the same scene always gives the same bytes.
//!
//! ```text
//! Scene --> legend  (who is which colour)    \
//!       --> layout  (where each row lies)     > gantt --> svg (the one place that writes XML)
//!       --> axis    (which ticks)            /
//! ```
//!
//! [`bar_chart`], [`line_chart`], [`dot_chart`] and [`scatter_chart`] draw figures of experiments in the same style ([`chart`]).
//!
//! Time and money stay integers up to here; pixels are the only floats, and nothing reads them back.
//! Nothing in this crate decides anything: it draws what it is given, and says in a note what it left out.

mod axis;
mod bands;
pub mod chart;
mod colour;
mod gantt;
mod layout;
mod legend;
mod marks;
mod number;
mod scene;
mod svg;
mod tasks;
mod text;
mod windows;

pub use chart::{
    BarChart, BarGroup, BarPanel, DotChart, DotPanel, DotRow, Line, LineChart, ScatterChart, ScatterPoint,
    bar_chart, dot_chart, line_chart, scatter_chart,
};
pub use gantt::gantt;
pub use scene::{Arrow, Only, Scene, TaskColour, TaskMark, TimeUnit, WindowStyle};
pub use tasks::ARROWS_MAX;
pub use windows::WINDOW_BLOCKS_MAX;
