use crate::store::Store;
pub async fn serve(_listener: tokio::net::TcpListener, _store: Store) -> anyhow::Result<()> {
    Ok(())
}
