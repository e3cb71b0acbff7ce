//! Calls every tool of a server, and answers what the tools ask for.

use std::error::Error;

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
        ElicitationAction, Implementation, ListRootsResult, ProgressNotificationParam,
        ProtocolVersion, Root,
    },
    service::{NotificationContext, RequestContext},
    transport::StreamableHttpClientTransport,
};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

struct Caller {
    steps: UnboundedSender<f64>,
}

impl ClientHandler for Caller {
    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "name": "Grace" })))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///work")]))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.steps.send(params.progress);
    }

    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder()
            .enable_elicitation()
            .enable_roots()
            .build();
        ClientConfig::new(capabilities, Implementation::new("rust-peer", "1.0.0"))
    }
}

pub async fn call(url: &str, mode: &str) -> Result<(), Box<dyn Error>> {
    let (steps, mut heard) = unbounded_channel();
    let lifecycle = if mode == "legacy" {
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: None,
        }
    };
    let transport = StreamableHttpClientTransport::from_uri(url);
    let client = Caller { steps }
        .serve_with_lifecycle(transport, lifecycle)
        .await?;
    let revision = client
        .peer_info()
        .ok_or("no server information")?
        .protocol_version
        .clone();
    let mut tools: Vec<_> = client
        .list_all_tools()
        .await?
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    tools.sort();
    let mut report = json!({ "revision": revision, "tools": tools });
    let calls = [
        ("greet", json!({ "name": "Ada" })),
        ("count", json!({ "steps": 3 })),
        ("ask", json!({})),
        ("folders", json!({})),
    ];
    for (name, arguments) in calls {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let result = client
            .call_tool(CallToolRequestParams::new(name).with_arguments(arguments))
            .await?;
        report[name] = json!(
            result
                .content
                .first()
                .and_then(|block| block.as_text())
                .map(|text| &text.text)
        );
    }
    let mut progress = vec![];
    for _ in 0..3 {
        progress.extend(heard.recv().await);
    }
    report["steps"] = json!(progress);
    println!("{report}");
    client.cancel().await?;
    Ok(())
}
