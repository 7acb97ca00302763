//! The OpenAPI document, made from the table of endpoints and the types that requests and answers are read and written
//! with. What is served is the committed document, which a test holds against this one.

use super::endpoint::{Content, Endpoint};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use walras_api::service::{ErrorView, EventView, exact};

/// What every endpoint that wants a token may be refused with.
const ALWAYS: &[u16] = &[401, 403, 408, 429, 503];

fn reason(status: u16) -> &'static str {
    match status {
        200 => "Done.",
        201 => "It is done.",
        202 => "It is on its way.",
        400 => "The request cannot be read, or a value in it is out of bounds.",
        401 => "A valid token is needed.",
        403 => "The caller may not do that.",
        404 => "There is no such thing, or the caller may not know of it.",
        408 => "The request took too long.",
        409 => "It cannot be done as things are.",
        413 => "The body is too large.",
        416 => "There are no such bytes.",
        415 => "The body is not JSON.",
        422 => "The request is well-formed, but a value in it is not possible.",
        429 => "Too many requests.",
        503 => "The service cannot take the request now.",
        _ => "",
    }
}

/// The document.
pub fn document(endpoints: &[Endpoint]) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    let error = generator.subschema_for::<ErrorView>().to_value();
    // What the stream of events carries has a shape too, though its answer is text.
    generator.subschema_for::<EventView>();
    for endpoint in endpoints {
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method] = operation(endpoint, &mut generator, &error);
    }
    let mut schemas: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
    for name in answered(&paths, &schemas) {
        schemas.get_mut(&name).into_iter().for_each(told_exactly);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Walras",
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "description": "A market for compute time. Money is in credits and spans are in seconds, both as exact \
                decimals; points in time are RFC 3339.",
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

/// Whether a value of this schema is a number, or a list of them.
fn counts(schema: &Value) -> bool {
    let is = |kind: &str| {
        let stated = schema.get("type");
        stated == Some(&json!(kind))
            || stated.and_then(Value::as_array).is_some_and(|all| all.contains(&json!(kind)))
    };
    is("number") || (is("array") && schema.get("items").is_some_and(counts))
}

/// The schemas that answers are made of, by name.
fn answered(paths: &Map<String, Value>, schemas: &Map<String, Value>) -> BTreeSet<String> {
    let operations = paths.values().filter_map(Value::as_object).flat_map(Map::values);
    let mut open: Vec<&Value> = operations.filter_map(|operation| operation.get("responses")).collect();
    open.extend(schemas.get("EventView"));
    let mut found = BTreeSet::new();
    while let Some(value) = open.pop() {
        let reference = value.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
        if let Some(name) = reference.filter(|name| found.insert((*name).to_owned())) {
            open.extend(schemas.get(name));
        }
        open.extend(value.as_object().into_iter().flat_map(Map::values));
        open.extend(value.as_array().into_iter().flatten());
    }
    found
}

/// Objects with numbers may have their texts besides: whatever is answered does.
fn told_exactly(schema: &mut Value) {
    let texts = || {
        json!({
            "description": "Of the numbers here, by name and as text, those with more digits than a double holds; those in lists as `name.place`.",
            "type": "object",
            "additionalProperties": {"type": "string"},
        })
    };
    match schema {
        Value::Object(map) => {
            if let Some(properties) = map.get_mut("properties").and_then(Value::as_object_mut)
                && properties.values().any(counts)
            {
                properties.insert(exact::EXACT.to_owned(), texts());
            }
            // A list of numbers by name, as the range of a criterion.
            if map.get("additionalProperties").is_some_and(|it| it.get("items").is_some() && counts(it)) {
                map.insert("properties".to_owned(), json!({exact::EXACT: texts()}));
            }
            map.values_mut().for_each(told_exactly);
        }
        Value::Array(list) => list.iter_mut().for_each(told_exactly),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn operation(endpoint: &Endpoint, generator: &mut SchemaGenerator, error: &Value) -> Value {
    let id = operation_id(&format!("{} {}", endpoint.method, endpoint.path));
    let mut operation = json!({
        "operationId": id,
        "summary": endpoint.summary,
        "tags": [tag(endpoint.path)],
        "responses": responses(endpoint, generator, error),
    });
    let parameters = parameters(endpoint, generator);
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    if let Some(body) = endpoint.body {
        let schema = body.schema(generator).to_value();
        operation["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": schema}}});
    }
    if !endpoint.roles.is_empty() {
        let roles: Vec<&str> = endpoint.roles.iter().map(|role| role.text()).collect();
        operation["security"] = json!([{"token": roles}]);
        operation["description"] = json!(format!("For: {}.", roles.join(", ")));
    }
    operation
}

fn tag(path: &str) -> &str {
    path.strip_prefix("/v1/").and_then(|rest| rest.split('/').next()).unwrap_or("system")
}

fn responses(endpoint: &Endpoint, generator: &mut SchemaGenerator, error: &Value) -> Value {
    let content = match endpoint.content {
        Content::Json(shape) => json!({"application/json": {"schema": shape.schema(generator).to_value()}}),
        Content::Text(media) => json!({media: {"schema": {"type": "string"}}}),
    };
    let mut responses = json!({});
    let mut good = json!({"description": reason(endpoint.status), "content": content});
    if let Some(links) = links(endpoint) {
        good["links"] = links;
    }
    responses[endpoint.status.to_string()] = good;
    let always = if endpoint.roles.is_empty() { &[][..] } else { ALWAYS };
    for status in always.iter().chain(endpoint.refusals) {
        let content = json!({"application/json": {"schema": error}});
        responses[status.to_string()] = json!({"description": reason(*status), "content": content});
    }
    responses
}

/// Where to go on with the number that an answer carries.
fn links(endpoint: &Endpoint) -> Option<Value> {
    let (name, targets) = match (endpoint.method, endpoint.path) {
        ("post", "/v1/jobs") => (
            "job",
            [
                ("show", "get /v1/jobs/{job}"),
                ("explain", "get /v1/jobs/{job}/explanation"),
                ("output", "get /v1/jobs/{job}/output"),
                ("cancel", "delete /v1/jobs/{job}"),
            ]
            .as_slice(),
        ),
        ("post", "/v1/quotes") => (
            "quote",
            [("show", "get /v1/quotes/{quote}"), ("accept", "post /v1/quotes/{quote}/accept")].as_slice(),
        ),
        _ => return None,
    };
    let link = |(label, target): &(&str, &str)| {
        let parameter = json!({name: format!("$response.body#/{name}")});
        ((*label).to_owned(), json!({"operationId": operation_id(target), "parameters": parameter}))
    };
    Some(Value::Object(targets.iter().map(link).collect()))
}

fn operation_id(target: &str) -> String {
    target.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect()
}

fn parameters(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Vec<Value> {
    let mut all = Vec::new();
    for name in endpoint.parameters() {
        let schema = match name {
            "job" => {
                json!({"type": "string", "pattern": "^[0-9]{1,19}(_([0-9]{1,9}|\\[[-0-9:,]{1,1000}\\]))?$"})
            }
            "quote" | "token" => json!({"type": "integer", "minimum": 0, "maximum": u64::MAX}),
            _ => json!({"type": "string", "minLength": 1, "maxLength": 200}),
        };
        all.push(json!({"name": name, "in": "path", "required": true, "schema": schema}));
    }
    if let Some(query) = endpoint.query {
        let schema = resolved(&query.schema(generator), generator);
        let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, mut schema) in properties {
            let description = schema.get("description").cloned().unwrap_or_default();
            optional(&mut schema);
            all.push(json!({"name": name, "in": "query", "required": false, "description": description, "schema": schema}));
        }
    }
    if endpoint.keyed {
        all.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "The client's own name of the request: the same key is the same request.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 190, "pattern": "^[!-~]+$"},
        }));
    }
    all
}

/// A parameter that is not given is not there: it is never null.
fn optional(schema: &mut Value) {
    if let Some(kinds) = schema.get_mut("type").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            schema["type"] = kind.clone();
        }
    }
    if let Some(choices) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
    }
}

/// The schema that a reference stands for.
fn resolved(schema: &Schema, generator: &SchemaGenerator) -> Value {
    let value = schema.clone().to_value();
    let name = value.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    name.and_then(|name| generator.definitions().get(name)).cloned().unwrap_or(value)
}
