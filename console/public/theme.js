// Runs before the first paint, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem("signalbox.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage can be blocked. The system's theme applies then.
}
