//! Where everything lies: rows shrink as nodes become many, so that the picture keeps a sane height.

use crate::number::{real, real_count, short, whole};
use crate::scene::Scene;
use crate::text::Font;
use walras_model::quantity::MILLION;
use walras_model::{Interval, Node, NodeId, Rate, SiteId};

/// Space around the picture.
pub(crate) const MARGIN: f64 = 24.0;
/// Height of the strip that carries tick labels.
pub(crate) const AXIS_HEIGHT: f64 = 26.0;

const WIDTH: f64 = 1200.0;
const WIDTH_OF_MANY: f64 = 1600.0;
/// From this many nodes on, the picture is wider.
const MANY_NODES: usize = 48;

/// All rows and headers together are at most this high.
const ROWS_HEIGHT_MAX: f64 = 2_250.0;
/// What one screen shows.
const ONE_SCREEN: f64 = 800.0;
const PITCH_MAX: f64 = 40.0;
/// Rows of nodes that tasks share are as high as that while they are few.
const PITCH_SHARED: f64 = 96.0;
/// Rows this high carry labels that read well.
const PITCH_COMFORTABLE: f64 = 18.0;
/// Thinner rows are lines; nodes beyond what fits are left out and counted.
const PITCH_MIN: f64 = 2.0;
const HEADER_HEIGHT_MAX: f64 = 24.0;
/// Bands at least this high carry their site's name.
pub(crate) const HEADER_HEIGHT_NAMED: f64 = 13.0;
/// Labels closer than this cannot be read.
const LABEL_DISTANCE_MIN: f64 = 10.5;

/// The geometry of one picture.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    /// Where the rows begin, below the upper axis.
    pub(crate) top: f64,
    /// Where the rows end, above the lower axis.
    pub(crate) bottom: f64,
    /// The left and right edge of the time that is shown.
    pub(crate) plot: (f64, f64),
    pub(crate) horizon: Interval,
    /// From row to row.
    pub(crate) pitch: f64,
    pub(crate) columns: Columns,
    pub(crate) headers: Vec<Header>,
    pub(crate) rows: Vec<Row>,
    /// Per node, its position in `rows`.
    row_of: Vec<Option<usize>>,
}

/// The columns left of the plot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub(crate) font: Font,
    pub(crate) name_width: f64,
    /// Whether names carry their site's, because its band is too thin to.
    pub(crate) with_site: bool,
    /// Right edges.
    pub(crate) price: f64,
    pub(crate) performance: f64,
}

/// The band that opens a site.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) site: SiteId,
    pub(crate) nodes: usize,
    pub(crate) y: f64,
    pub(crate) height: f64,
}

/// One node's row.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) node: NodeId,
    pub(crate) y: f64,
    pub(crate) labelled: bool,
}

impl Layout {
    /// The geometry of a scene whose rows begin at height `top`.
    pub(crate) fn new(scene: &Scene<'_>, prices: &[Option<(Rate, Rate)>], top: f64) -> Layout {
        let width = width_of(scene);
        let sites = nodes_by_site(scene);
        let occupied = sites.iter().filter(|nodes| !nodes.is_empty()).count();
        let nodes = scene.offers.nodes().len();
        let header = (ROWS_HEIGHT_MAX / 4.0 / real_count(occupied.max(1))).min(HEADER_HEIGHT_MAX);
        let room = ROWS_HEIGHT_MAX - header * real_count(occupied);
        let shared = scene.offers.nodes().iter().any(|node| node.division.is_divided());
        let pitch = pitch_of(nodes, room, if shared { PITCH_SHARED } else { PITCH_MAX });
        let columns = Columns::new(scene, prices, pitch, header < HEADER_HEIGHT_NAMED);
        let mut layout = Layout {
            width,
            top,
            bottom: top,
            plot: (columns.performance + 26.0, width - MARGIN),
            horizon: scene.offers.horizon(),
            pitch,
            columns,
            headers: Vec::new(),
            rows: Vec::new(),
            row_of: vec![None; nodes],
        };
        layout.place(&sites, header, whole(room / pitch));
        layout
    }

    /// Places sites and their rows from top to bottom, at most `rows_max` rows.
    fn place(&mut self, sites: &[Vec<NodeId>], header: f64, rows_max: usize) {
        let label_every = whole((LABEL_DISTANCE_MIN / self.pitch).ceil()).max(1);
        for (site, nodes) in sites.iter().enumerate() {
            let room = rows_max - self.rows.len();
            let Some(id) = SiteId::from_index(site).filter(|_| !nodes.is_empty() && room > 0) else {
                continue;
            };
            self.headers.push(Header { site: id, nodes: nodes.len(), y: self.bottom, height: header });
            self.bottom += header;
            for (position, node) in nodes.iter().take(room).enumerate() {
                self.row_of[node.index()] = Some(self.rows.len());
                let labelled = position % label_every == (label_every / 2).min(nodes.len() / 2);
                self.rows.push(Row { node: *node, y: self.bottom, labelled });
                self.bottom += self.pitch;
            }
        }
    }

    /// The row of a node, unless the node is unknown or left out.
    pub(crate) fn row(&self, node: NodeId) -> Option<&Row> {
        self.row_of.get(node.index()).copied().flatten().map(|row| &self.rows[row])
    }

    /// How many nodes have no row.
    pub(crate) fn nodes_left_out(&self) -> usize {
        self.row_of.len() - self.rows.len()
    }

    /// The height of a bar in a row.
    pub(crate) fn bar(&self) -> f64 {
        self.pitch - self.gap()
    }

    /// The space between bars.
    pub(crate) fn gap(&self) -> f64 {
        (self.pitch * 0.14).min(5.0)
    }

    /// The place of a point in time, given in milliseconds.
    pub(crate) fn x(&self, millis: i64) -> f64 {
        let share = real(millis - self.horizon.start().as_millis()) / real(self.horizon.span().as_millis());
        self.plot.0 + share * (self.plot.1 - self.plot.0)
    }

    /// How many milliseconds one pixel stands for.
    pub(crate) fn millis_per_pixel(&self) -> f64 {
        real(self.horizon.span().as_millis()) / (self.plot.1 - self.plot.0)
    }
}

impl Columns {
    fn new(scene: &Scene<'_>, prices: &[Option<(Rate, Rate)>], pitch: f64, with_site: bool) -> Columns {
        let font = Font::plain((pitch * 0.82).clamp(9.0, 13.0));
        let widest = |widths: &mut dyn Iterator<Item = f64>| widths.fold(0.0, f64::max);
        let nodes = scene.offers.nodes();
        let name_width = widest(&mut ids(nodes).map(|node| font.width(&scene.node_name(node, with_site))));
        let name_width = name_width.clamp(52.0, 180.0);
        let price = prices.iter().flatten().map(|range| font.width(&scene.unit.price_range(*range, short)));
        let price_width = widest(&mut { price }).clamp(48.0, 120.0);
        let speed = nodes.iter().map(|node| font.width(&short(node.performance.as_millionths(), MILLION)));
        let speed_width = widest(&mut { speed }).clamp(40.0, 80.0);
        let price = MARGIN + 8.0 + name_width + 10.0 + price_width;
        Columns { font, name_width, with_site, price, performance: price + 12.0 + speed_width }
    }
}

/// Rows are high while they are few, then comfortable, and in the end what `room` allows.
fn pitch_of(nodes: usize, room: f64, most: f64) -> f64 {
    let nodes = real_count(nodes.max(1));
    let wanted = (ONE_SCREEN / nodes).clamp(PITCH_COMFORTABLE, most);
    (room / nodes).min(wanted).max(PITCH_MIN)
}

/// The width of the picture.
pub(crate) fn width_of(scene: &Scene<'_>) -> f64 {
    if scene.offers.nodes().len() < MANY_NODES { WIDTH } else { WIDTH_OF_MANY }
}

fn ids(nodes: &[Node]) -> impl Iterator<Item = NodeId> {
    (0..nodes.len()).filter_map(NodeId::from_index)
}

/// Each site's nodes, in the order of the offers.
fn nodes_by_site(scene: &Scene<'_>) -> Vec<Vec<NodeId>> {
    let mut sites = vec![Vec::new(); scene.offers.sites().len()];
    for node in ids(scene.offers.nodes()) {
        sites[scene.offers.node(node).site.index()].push(node);
    }
    sites
}
