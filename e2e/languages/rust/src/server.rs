//! The tools ask in either era: by input_required, or by a request in the middle of the call.

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceError,
    handler::server::{tool::InputResponses, wrapper::Parameters},
    model::{
        CallToolResponse, CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams,
        InputRequest, InputRequests, InputRequiredResult, ListRootsRequest,
        ProgressNotificationParam, ProtocolVersion, ServerCapabilities, ServerConfig,
    },
    schemars::{self, JsonSchema},
    service::RequestContext,
    tool, tool_handler, tool_router,
};
use serde::Deserialize;
use serde_json::{Value, json};

pub struct Tools;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Count {
    steps: u32,
}

type Answer = Result<CallToolResponse, ErrorData>;

#[tool_router]
impl Tools {
    #[tool]
    async fn greet(&self, Parameters(Greet { name }): Parameters<Greet>) -> String {
        format!("hello {name}")
    }

    #[tool]
    async fn count(
        &self,
        Parameters(Count { steps }): Parameters<Count>,
        context: RequestContext<RoleServer>,
    ) -> Answer {
        if let Some(token) = context.meta.get_progress_token() {
            for step in 1..=steps {
                let progress = ProgressNotificationParam::new(token.clone(), step.into())
                    .with_total(steps.into());
                context
                    .peer
                    .notify_progress(progress)
                    .await
                    .map_err(failed)?;
            }
        }
        Ok(text("counted"))
    }

    #[tool]
    async fn ask(
        &self,
        InputResponses(answers): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Answer {
        let answer = match answers.and_then(|mut answers| answers.remove("who")) {
            Some(answer) => answer,
            None if is_modern(&context) => {
                return Ok(input_required(
                    "who",
                    InputRequest::Elicitation(ElicitRequest::new(question())),
                ));
            }
            None => json!(
                context
                    .peer
                    .create_elicitation(question())
                    .await
                    .map_err(failed)?
            ),
        };
        Ok(text(answer["content"]["name"].as_str().unwrap_or_default()))
    }

    #[tool]
    async fn folders(
        &self,
        InputResponses(answers): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Answer {
        let answer = match answers.and_then(|mut answers| answers.remove("roots")) {
            Some(answer) => answer,
            None if is_modern(&context) => {
                return Ok(input_required(
                    "roots",
                    InputRequest::ListRoots(ListRootsRequest::default()),
                ));
            }
            None => json!(context.peer.list_roots().await.map_err(failed)?),
        };
        let roots = answer["roots"].as_array().cloned().unwrap_or_default();
        let uris: Vec<&str> = roots
            .iter()
            .filter_map(|root| root["uri"].as_str())
            .collect();
        Ok(text(&uris.join(" ")))
    }
}

#[tool_handler]
impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

fn question() -> ElicitRequestParams {
    let params: Value = json!({
        "message": "Who are you?",
        "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
    });
    serde_json::from_value(params).expect("a form")
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version() == Some(ProtocolVersion::V_2026_07_28)
}

fn input_required(key: &str, request: InputRequest) -> CallToolResponse {
    let requests = InputRequests::from([(key.to_string(), request)]);
    InputRequiredResult::new(Some(requests), None).into()
}

fn text(value: &str) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(value)]).into()
}

fn failed(error: ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
