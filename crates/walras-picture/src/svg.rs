//! SVG elements, written through quick-xml so that every name is escaped.

use crate::number::pixels;
use crate::text::{Font, Weight, legal};
use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

/// What is installed on most machines; nothing is fetched.
const FONTS: &str =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

/// An SVG document in the making.
pub(crate) struct Svg {
    writer: Writer<Vec<u8>>,
}

/// An element with its attributes.
pub(crate) struct Element(BytesStart<'static>);

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Element {
    pub(crate) fn new(name: &'static str) -> Element {
        Element(BytesStart::new(name))
    }

    /// An attribute with that text.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Element {
        let value: String = value.chars().map(legal).collect();
        self.0.push_attribute((name, value.as_str()));
        self
    }

    /// An attribute with that length in pixels.
    pub(crate) fn at(self, name: &str, value: f64) -> Element {
        self.set(name, &pixels(value))
    }

    /// A rectangle.
    pub(crate) fn rect(rect: Rect) -> Element {
        let Rect { x, y, width, height } = rect;
        Element::new("rect").at("x", x).at("y", y).at("width", width).at("height", height)
    }

    /// A line of text whose middle lies at height `y`.
    pub(crate) fn text(x: f64, y: f64, font: Font) -> Element {
        let text = Element::new("text").at("x", x).at("y", y + font.size * 0.36).at("font-size", font.size);
        if font.weight == Weight::Bold { text.set("font-weight", "600") } else { text }
    }
}

impl Svg {
    /// Opens the document: its size, its accessible title and description.
    pub(crate) fn open(width: f64, height: f64, title: &str, description: &str) -> Svg {
        Svg::open_as("walras", width, height, title, description)
    }

    /// The same with ids that begin with `id`, so that one page can hold several pictures.
    pub(crate) fn open_as(id: &str, width: f64, height: f64, title: &str, description: &str) -> Svg {
        let mut svg = Svg { writer: Writer::new_with_indent(Vec::new(), b' ', 1) };
        let root = Element::new("svg")
            .set("xmlns", "http://www.w3.org/2000/svg")
            .at("width", width)
            .at("height", height)
            .set("viewBox", &format!("0 0 {} {}", pixels(width), pixels(height)))
            .set("role", "img")
            .set("aria-labelledby", &format!("{id}-title {id}-desc"))
            .set("font-family", FONTS);
        svg.start(root);
        svg.words(Element::new("title").set("id", &format!("{id}-title")), title);
        svg.words(Element::new("desc").set("id", &format!("{id}-desc")), description);
        svg
    }

    /// Opens an element; [`Svg::end`] closes it.
    pub(crate) fn start(&mut self, element: Element) {
        self.emit(Event::Start(element.0));
    }

    /// Closes what [`Svg::start`] opened.
    pub(crate) fn end(&mut self, name: &'static str) {
        self.emit(Event::End(BytesEnd::new(name)));
    }

    /// An element without content.
    pub(crate) fn empty(&mut self, element: Element) {
        self.emit(Event::Empty(element.0));
    }

    /// An element that holds text.
    pub(crate) fn words(&mut self, element: Element, text: &str) {
        let text: String = text.chars().map(legal).collect();
        let end = element.0.to_end().into_owned();
        self.emit(Event::Start(element.0));
        self.emit(Event::Text(BytesText::new(&text)));
        self.emit(Event::End(end));
    }

    /// An element with a tooltip.
    pub(crate) fn hinted(&mut self, element: Element, tooltip: &str) {
        let end = element.0.to_end().into_owned();
        self.emit(Event::Start(element.0));
        self.words(Element::new("title"), tooltip);
        self.emit(Event::End(end));
    }

    /// Closes the document.
    pub(crate) fn finish(mut self) -> String {
        self.end("svg");
        let mut text = String::from_utf8_lossy(&self.writer.into_inner()).into_owned();
        text.push('\n');
        text
    }

    fn emit(&mut self, event: Event<'_>) {
        self.writer.write_event(event).expect("a vector in memory takes every byte");
    }
}
