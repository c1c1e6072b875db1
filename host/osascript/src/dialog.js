// Asks the user of this Mac. Its input is JSON: the title, the text, the seconds to wait, and the buttons. The last
// button is the default. Returns the button, or nothing if none was pressed in time.
ObjC.import("Foundation");

function run() {
  const current = Application.currentApplication();
  current.includeStandardAdditions = true;
  const input = $.NSFileHandle.fileHandleWithStandardInput;
  const UTF8 = 4;
  let asked = "";
  // The input is ASCII, so no part of it ends within a character.
  for (let data; Number((data = input.availableData).length) > 0;) {
    asked += $.NSString.alloc.initWithDataEncoding(data, UTF8).js;
  }
  const { title, text, seconds, buttons } = JSON.parse(asked);
  try {
    current.activate();
  } catch (error) {}
  const pressed = current.displayDialog(text, {
    withTitle: title,
    buttons: buttons,
    defaultButton: buttons[buttons.length - 1],
    withIcon: "caution",
    givingUpAfter: seconds,
  });
  return pressed.gaveUp ? "" : pressed.buttonReturned;
}
