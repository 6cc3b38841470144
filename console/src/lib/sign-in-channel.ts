/** Windows of the same browser tell each other that somebody has signed in. */
const name = "signalbox.sign-in";

export function announceSignIn(): void {
  const channel = new BroadcastChannel(name);
  channel.postMessage("signed_in");
  channel.close();
}

/** Calls the listener when somebody signs in in another window. Returns a function that stops it. */
export function onSignInElsewhere(listener: () => void): () => void {
  const channel = new BroadcastChannel(name);
  channel.onmessage = listener;
  return () => channel.close();
}
