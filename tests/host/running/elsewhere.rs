//! A Mac elsewhere: everything goes through the command line of another shell.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::rig::Rig;

#[tokio::test]
async fn a_worker_behind_ssh() {
    let folder = tempfile::tempdir().unwrap();
    let ssh = folder.path().join("ssh");
    std::fs::write(&ssh, "#!/bin/sh\nshift\nexec /bin/sh -c \"$*\"\n").unwrap();
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let rig = Rig::new(&json!([]), |settings| {
        let own = Path::new(env!("CARGO_BIN_EXE_iac-mcp"));
        settings.command = vec![ssh.into(), "mini".into(), own.into(), "osascript".into()];
    });
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    for _ in 0..3 {
        rig.ok("iac_mcp_query_object", json!({ "app": "Mail", "specifier": inbox })).await;
    }
    let mail = &rig.supervisor.report().apps["com.apple.mail"];
    assert_eq!((mail.worker.as_ref().unwrap().calls, mail.counts.one_shots), (3, 0));
    rig.close().await;
}
