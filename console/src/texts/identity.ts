/** Confirming in place who one is. */
export const identity = {
  title: "Confirm that it is you",
  signInTitle: "Sign in again",
  tooOld: "This needs a newer sign-in. What you entered is kept.",
  signedOut: "Your session has ended. Sign in again to go on; what you entered is kept.",
  ssoRequired: "This organization requires single sign-on. What you entered is kept.",
  password: "Your password",
  code: "Code from your authenticator app, or a backup code",
  passkey: "Use a passkey",
  confirm: "Confirm",
  noPassword: "Your account has no password. Choose one with a mail, then come back here.",
  choosePassword: "Choose a password",
  passkeyUnused: "No passkey was used. Try again, or use another way.",
  sso: "You sign in with single sign-on. It opens in another window; this page waits and continues by itself.",
  ssoAction: "Open single sign-on",
  ssoWaiting: "Waiting for the other window.",
  ssoUnknown: "No single sign-on was found for your address. Sign out and sign in again.",
  elsewhere: "Sign in in another window",
  otherAccount: (email: string) =>
    `You signed in as ${email}, which is another account. Sign in as the person who opened this page.`,
  otherWindow: (email: string) =>
    `In another window, ${email} has signed in, which is another account. Reload this page to continue as that person; what you entered is lost then.`,
  replaced: (email: string) => `${email} is signed in now`,
  replacedText:
    "Another account was used in this browser since this page was opened, so the page was closed. Reload it to continue as that person.",
  reload: "Reload the page",
  banner: "You are signed out. What you see may be old.",
  bannerAction: "Sign in",
};
