//! A server and a client of the Rust SDK: `peer serve` serves on stdio, `peer serve PORT` over Streamable HTTP, and `peer call
//! URL auto|legacy` uses a server at URL and prints what came back as JSON.
// The protocol marks roots as deprecated, and the tests still cover them.
#![allow(deprecated)]

mod client;
mod server;

use std::{env, error::Error, sync::Arc};

use rmcp::{
    ServiceExt,
    transport::{
        stdio,
        streamable_http_server::{StreamableHttpService, session::local::LocalSessionManager},
    },
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve"] => {
            server::Tools.serve(stdio()).await?.waiting().await?;
        }
        ["serve", port] => serve_http(port.parse()?).await?,
        ["call", url, mode] => client::call(url, mode).await?,
        _ => return Err("expected: serve [PORT] | call URL auto|legacy".into()),
    }
    Ok(())
}

async fn serve_http(port: u16) -> Result<(), Box<dyn Error>> {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(server::Tools), sessions, Default::default());
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
