// Asks the person at this Mac. What is shown comes as arguments: title, text, seconds, and the buttons, the last of which
// is the default. Answers the button, or nothing if nobody pressed one in time.
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
