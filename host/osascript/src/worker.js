// Serves one request per line until its input ends. All lines are ASCII.
ObjC.import("Foundation");

function run() {
  const input = $.NSFileHandle.fileHandleWithStandardInput;
  const output = $.NSFileHandle.fileHandleWithStandardOutput;
  const UTF8 = 4;
  const say = (line) => output.writeData($.NSString.alloc.initWithUTF8String(line + "\n").dataUsingEncoding(UTF8));
  const process = () => {
    try {
      return $.NSProcessInfo.processInfo.processIdentifier;
    } catch (error) {
      return 0;
    }
  };

  const programs = new Map();
  const program = (request) => {
    if (typeof request.code === "string") programs.set(request.program, (0, eval)("(" + request.code + ")"));
    return programs.get(request.program);
  };
  const failed = (error) =>
    JSON.stringify({
      number:
        error !== null && typeof error === "object" && typeof error.errorNumber === "number"
          ? error.errorNumber
          : -2700,
      message: String(error)
        .replace(/[^ -~]/g, "?")
        .slice(0, 500),
    });
  const serve = (line) => {
    const request = JSON.parse(line);
    try {
      say(request.id + " = " + program(request)(request.data));
    } catch (error) {
      say(request.id + " ! " + failed(error));
    }
  };

  say("iac-mcp worker 1 " + process());
  for (let held = "", from = 0; ;) {
    const data = input.availableData;
    if (Number(data.length) === 0) return;
    held += $.NSString.alloc.initWithDataEncoding(data, UTF8).js;
    for (let end; (end = held.indexOf("\n", from)) >= 0; from = 0) {
      const line = held.slice(0, end);
      held = held.slice(end + 1);
      serve(line);
    }
    from = held.length;
  }
}
