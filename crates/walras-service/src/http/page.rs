//! The OpenAPI document as a page for people: no script, nothing from elsewhere.

use serde_json::Value;
use std::fmt::Write as _;

const STYLE: &str = "
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2733;background:#fff}
h1{margin-bottom:0}h2{margin-top:2.5rem;border-bottom:1px solid #d5dde5}
details{border:1px solid #d5dde5;border-radius:6px;margin:.5rem 0;padding:.4rem .8rem}
summary{cursor:pointer}code,pre{font:14px/1.45 ui-monospace,monospace}
pre{background:#f4f6f8;padding:.8rem;border-radius:6px;overflow-x:auto}
.method{display:inline-block;min-width:4.2rem;font-weight:700;text-transform:uppercase;color:#1f5f8b}
.who{color:#66737f;font-size:.9rem}table{border-collapse:collapse}td,th{text-align:left;padding:.15rem .8rem .15rem 0;vertical-align:top}
@media(prefers-color-scheme:dark){body{background:#14191f;color:#dde4ea}pre{background:#1e262e}
details,h2{border-color:#35414c}.method{color:#7fbfe8}.who{color:#93a1ad}}
";

/// The page.
pub(super) fn page(document: &Value) -> String {
    let mut html = String::new();
    let title = text(document, "/info/title");
    // Writing to a string does not fail.
    let _ = write!(
        html,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} API</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>\
         <h1>{title} API</h1><p>{}</p><p>Version {}. Send <code>Authorization: Bearer TOKEN</code> with every request \
         under <code>/v1</code>. The same as data: <a href=\"/v1/openapi.json\">openapi.json</a>.</p>",
        text(document, "/info/description"),
        text(document, "/info/version"),
    );
    let mut last = String::new();
    for (path, methods) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let tag = text(operation, "/tags/0");
            if tag != last {
                let _ = write!(html, "<h2 id=\"{tag}\">{tag}</h2>");
                last = tag;
            }
            endpoint(&mut html, path, method, operation);
        }
    }
    html.push_str("<h2>Shapes</h2>");
    for (name, schema) in
        document.pointer("/components/schemas").and_then(Value::as_object).into_iter().flatten()
    {
        let shown = serde_json::to_string_pretty(schema).unwrap_or_default();
        let name = escape(name);
        let _ = write!(
            html,
            "<details id=\"shape-{name}\"><summary><code>{name}</code> {}</summary><pre>{}</pre></details>",
            text(schema, "/description"),
            escape(&shown)
        );
    }
    html.push_str("</body></html>");
    html
}

fn endpoint(html: &mut String, path: &str, method: &str, operation: &Value) {
    let who = operation.get("description").map(|_| text(operation, "/description"));
    let _ = write!(
        html,
        "<details><summary><span class=\"method\">{}</span> <code>{}</code> {} <span class=\"who\">{}</span></summary>",
        escape(method),
        escape(path),
        text(operation, "/summary"),
        who.unwrap_or_default(),
    );
    let parameters = operation.get("parameters").and_then(Value::as_array);
    if let Some(parameters) = parameters {
        html.push_str("<table><tr><th>parameter</th><th>in</th><th></th></tr>");
        for parameter in parameters {
            let _ = write!(
                html,
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
                text(parameter, "/name"),
                text(parameter, "/in"),
                text(parameter, "/description")
            );
        }
        html.push_str("</table>");
    }
    if let Some(schema) = operation.pointer("/requestBody/content/application~1json/schema") {
        let _ = write!(html, "<p>Body: {}</p>", shape(schema));
    }
    html.push_str("<table><tr><th>status</th><th></th><th></th></tr>");
    for (status, response) in operation.get("responses").and_then(Value::as_object).into_iter().flatten() {
        let content = response.get("content").and_then(Value::as_object).into_iter().flatten().next();
        let kind = match content {
            Some((media, value)) if media == "application/json" => {
                value.get("schema").map(shape).unwrap_or_default()
            }
            Some((media, _)) => escape(media),
            None => String::new(),
        };
        let _ = write!(
            html,
            "<tr><td>{status}</td><td>{}</td><td>{kind}</td></tr>",
            text(response, "/description")
        );
    }
    html.push_str("</table></details>");
}

/// A link to the shape that a schema refers to, or the schema itself.
fn shape(schema: &Value) -> String {
    match schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()) {
        Some(name) => format!("<a href=\"#shape-{0}\"><code>{0}</code></a>", escape(name)),
        None => format!("<code>{}</code>", escape(&schema.to_string())),
    }
}

fn text(value: &Value, pointer: &str) -> String {
    escape(value.pointer(pointer).and_then(Value::as_str).unwrap_or_default())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
