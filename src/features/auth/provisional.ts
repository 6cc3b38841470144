/** A reserved domain that nobody can own (RFC 2606). No mail is sent to it. */
const domain = "provisional.invalid";

export const provisionalAddress = (name: string) => `${name}@${domain}`;

export const isProvisionalAddress = (email: string) => email.toLowerCase().endsWith(`@${domain}`);
