;; Lists a tool with a name of the server's own.
;; expect: a tool is called `iac_mcp_list_apps`
(data (i32.const 600) "iac_mcp_list_apps")
(func $list (export "iac:plugin/tools@0.1.0#list-tools") (result i32)
  (i32.store (i32.const 160) (i32.const 600))
  (i32.store (i32.const 164) (i32.const 17))
  (i32.const 128))
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
