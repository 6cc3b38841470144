import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type Config, findExposure, isLoopbackOnly } from "../../platform/config.ts";
import { trySmtp } from "../../platform/mail/index.ts";
import { describeReason, type Finding, ok, problem, warning } from "./finding.ts";

const check = "public URL";

/** Checks the settings that decide how others reach this instance. */
export function checkAddress(config: Config): Finding[] {
  const { publicUrl } = config;
  if (!publicUrl) {
    if (isLoopbackOnly(config)) return [];
    return [
      warning(
        check,
        `PUBLIC_URL is not set, and others can reach this instance: ${findExposure(config)}`,
        "Set PUBLIC_URL to the address people and runners use: links in mails and callbacks are made from it.",
      ),
    ];
  }
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === "https:" || !isPublic(hostname)) return [];
  return [
    warning(
      check,
      `${publicUrl} is not encrypted, so passwords and keys travel in the open`,
      "Put a proxy with TLS in front, and set PUBLIC_URL to its https address.",
    ),
  ];
}

function isPublic(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "");
  if (isIP(bare)) return ipaddr.process(bare).range() === "unicast";
  return bare.includes(".") && !/(^|\.)(localhost|local|internal|lan|test|example)$/.test(bare);
}

/** Reports the rule for loopback addresses, and the setting that decides it. */
export function checkEgress(config: Config): Finding {
  const exposure = findExposure(config);
  const listed = config.egressAllow.length > 0 ? ` EGRESS_ALLOW opens ${config.egressAllow.join(", ")}.` : "";
  return ok(
    "egress",
    exposure === undefined
      ? "loopback addresses may be called: HOST is loopback, PUBLIC_URL is not set or loopback, TRUSTED_PROXIES is " +
          `empty. If a proxy leads here, set PUBLIC_URL and TRUSTED_PROXIES.${listed}`
      : `loopback addresses are refused, because others can reach this instance: ${exposure}.${listed}`,
  );
}

/** Reports who may create accounts and workspaces, and the setting that decides it. */
export function checkEntry(config: Config): Finding[] {
  const exposure = findExposure(config);
  const why = (name: string, isSet: boolean) => {
    if (isSet) return `${name} says so`;
    return exposure === undefined
      ? "only this machine can reach this instance"
      : `others can reach this instance: ${exposure}`;
  };
  const { signup, bootstrap, isSet } = config;
  return [
    ok("sign-up", `${signupRules[signup]}, because ${why("SIGNUP", isSet.signup)}`),
    ok("bootstrap", `${bootstrapRules[bootstrap]}, because ${why("BOOTSTRAP", isSet.bootstrap)}`),
  ];
}

const signupRules = {
  open: "anybody can make an account",
  invited: "after the first account, people need an invitation to make one",
  closed: "after the first account, nobody can make one",
};
const bootstrapRules = {
  open: "agents can make a workspace without an account",
  closed: "agents cannot make a workspace without an account",
};

/** Checks that PUBLIC_URL, which links in mails use, leads to this instance. */
export async function checkReachable(
  publicUrl: string,
  instance: string,
  serving: boolean,
): Promise<Finding> {
  let response: Response;
  try {
    response = await fetch(`${publicUrl}/version`, {
      redirect: "manual",
      signal: AbortSignal.timeout(5_000),
    });
  } catch (error) {
    const message = `${publicUrl} does not answer from here (${describeReason(error)})`;
    return serving
      ? problem(check, message, "Correct PUBLIC_URL, or the proxy and the DNS entry it leads through.")
      : warning(check, message, "If the service is running, correct PUBLIC_URL or its proxy; else start it.");
  }
  const answer = (await response.json().catch(() => undefined)) as Record<string, unknown> | undefined;
  if (response.status !== 200 || answer?.name !== "signalbox") {
    return problem(
      check,
      `something else answers at ${publicUrl} (HTTP ${response.status})`,
      "Correct PUBLIC_URL, or make that address lead to this instance.",
    );
  }
  return answer.instance === instance
    ? ok(check, `${publicUrl} leads here`)
    : problem(
        check,
        `another Signalbox answers at ${publicUrl}`,
        "Correct PUBLIC_URL; or, if it is a replica of this one, give it the same SIGNALBOX_SECRET.",
      );
}

export async function checkMail(config: Config): Promise<Finding> {
  const { smtpUrl } = config;
  if (!smtpUrl) {
    const message = "SMTP_URL is not set: mails are stored, and `signalbox mail` shows them";
    return isLoopbackOnly(config)
      ? ok("mail", message)
      : warning("mail", message, "Set SMTP_URL, so that people get their mails.");
  }
  const server = new URL(smtpUrl).host;
  try {
    await trySmtp(smtpUrl);
    return ok("mail", `${server} takes mail from us`);
  } catch (error) {
    return problem(
      "mail",
      `${server} does not take mail from us (${describeReason(error)})`,
      "Correct SMTP_URL.",
    );
  }
}
