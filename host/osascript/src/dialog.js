// Asks the user of this Mac. The arguments are the title, the text, the seconds to wait, and the buttons. The last
// button is the default. Returns the button, or nothing if none was pressed in time.
function run(argv) {
  const current = Application.currentApplication();
  current.includeStandardAdditions = true;
  const [title, text, seconds, ...buttons] = argv;
  try {
    current.activate();
  } catch (error) {}
  const pressed = current.displayDialog(text, {
    withTitle: title,
    buttons: buttons,
    defaultButton: buttons[buttons.length - 1],
    withIcon: "caution",
    givingUpAfter: Number(seconds),
  });
  return pressed.gaveUp ? "" : pressed.buttonReturned;
}
