// Lists the tools of a server with both generations of the TypeScript SDK, and calls one.
//
//     node list.cjs v1|v2 COMMAND [ARGUMENT ...]
//
// Prints {"tools":[names],"apps":[names]}. Packages are found through NODE_PATH.

const packages = {
  v1: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/stdio.js"],
  v2: ["@modelcontextprotocol/client", "@modelcontextprotocol/client/stdio"],
};

async function main([generation, command, ...args]) {
  const [client, stdio] = packages[generation].map((name) => require(name));
  const connection = new client.Client({ name: `typescript-${generation}`, version: "0" });
  await connection.connect(new stdio.StdioClientTransport({ command, args, env: process.env }));
  const { tools } = await connection.listTools();
  const answer = await connection.callTool({ name: "iac_mcp_list_apps", arguments: {} });
  const apps = answer.structuredContent.apps.map((app) => app.name);
  await connection.close();
  console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), apps }));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
