import { Webhooks } from "@octokit/webhooks";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { signedHeaders } from "../../../../test/webhooks.ts";
import {
  createProof,
  type Dialect,
  detectDialect,
  dialects,
  readDeliveryId,
  readEventName,
} from "./index.ts";

const check = (headers: Record<string, string>, body: string, secret: string, now = Date.now()) => {
  const dialect = detectDialect(headers);
  return Boolean(dialect && createProof(dialect, headers, now)?.(Buffer.from(body), secret));
};

describe("test vectors of the code hosts", () => {
  const secret = "It's a Secret to Everybody";

  test("GitHub: the vector of its guide verifies", () => {
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const headers = { "x-github-event": "push", "x-hub-signature-256": signature };
    expect(check(headers, "Hello, World!", secret)).toBe(true);
    expect(check(headers, "Hello, World?", secret)).toBe(false);
    expect(check(headers, "Hello, World!", `${secret}.`)).toBe(false);
  });

  test("Bitbucket: the vector of its guide verifies", () => {
    const signature = "sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9";
    const headers = { "x-event-key": "repo:push", "x-hub-signature": signature };
    expect(check(headers, "Hello World!", secret)).toBe(true);
    expect(check(headers, "Hello, World!", secret)).toBe(false);
  });

  test("Standard Webhooks (GitLab): the vector of the specification verifies", () => {
    const headers = {
      "x-gitlab-event": "Push Hook",
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const token = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const body = '{"test": 2432232314}';
    const then = 1_614_265_330_000;
    expect(check(headers, body, token, then)).toBe(true);
    expect(check(headers, `${body} `, token, then)).toBe(false);
    expect(check(headers, body, token, then + 299_000)).toBe(true);
    expect(check(headers, body, token, then + 301_000)).toBe(false);
    expect(check(headers, body, token, then - 301_000)).toBe(false);
    expect(check({ ...headers, "webhook-id": "msg_other" }, body, token, then)).toBe(false);
    const among = `v1,${"A".repeat(43)}= v2,xyz ${headers["webhook-signature"]}`;
    expect(check({ ...headers, "webhook-signature": among }, body, token, then)).toBe(true);
  });
});

describe("signatures of independent libraries", () => {
  test("a signature of @octokit/webhooks verifies as GitHub's", async () => {
    const webhooks = new Webhooks({ secret: "a secret of the library" });
    const body = JSON.stringify({ ref: "refs/heads/main", text: "héllo \u{1f600}" });
    const headers = { "x-github-event": "push", "x-hub-signature-256": await webhooks.sign(body) };
    expect(check(headers, body, "a secret of the library")).toBe(true);
    expect(
      await webhooks.verify(
        body,
        signedHeaders.github("a secret of the library", body)["x-hub-signature-256"],
      ),
    ).toBe(true);
  });

  test("a signature of standardwebhooks verifies as GitLab's", () => {
    const token = `whsec_${Buffer.from("thirty-two bytes of key material").toString("base64")}`;
    const body = '{"object_kind":"push"}';
    const now = new Date();
    const headers = {
      "x-gitlab-event": "Push Hook",
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": new Webhook(token).sign("msg_1", now, body),
    };
    expect(check(headers, body, token)).toBe(true);
    expect(() => new Webhook(token).verify(body, signedHeaders.gitlab(token, body))).not.toThrow();
  });
});

const secret = "a secret that is long enough";
const body = '{"ref":"refs/heads/main"}';

describe("a signature that does not verify", () => {
  test.each(Object.entries(signedHeaders))(
    "%s: a signature does not verify another body or with another secret",
    (_, buildHeaders) => {
      const headers = buildHeaders(secret, body);
      expect(check(headers, body, secret)).toBe(true);
      expect(check(headers, body, "another secret, as long as")).toBe(false);
      expect(check(headers, body, "")).toBe(false);
    },
  );

  test.each([
    ["forgejo", "x-forgejo-signature", signedHeaders.forgejo],
    ["gitea", "x-gitea-signature", signedHeaders.gitea],
    ["gitlab", "webhook-signature", signedHeaders.gitlab],
    ["github", "x-hub-signature-256", signedHeaders.github],
    ["bitbucket", "x-hub-signature", signedHeaders.bitbucket],
  ] as const)(
    "%s: a wrong signature is refused even when another header has a valid one",
    (dialect, header, buildHeaders) => {
      const others = {
        "x-gitlab-token": dialect === "gitlab" ? secret : "",
        ...signedHeaders.github(secret, body),
        ...(dialect === "github"
          ? {}
          : { "x-hub-signature": signedHeaders.bitbucket(secret, body)["x-hub-signature"] }),
      };
      const headers: Record<string, string> = { ...others, ...buildHeaders(secret, body) };
      if (dialect === "github" || dialect === "bitbucket") delete headers["x-gitlab-token"];
      if (dialect === "bitbucket")
        for (const name of Object.keys(headers)) if (/github|256/.test(name)) delete headers[name];
      expect(detectDialect(headers)).toBe(dialect);
      expect(check(headers, body, secret)).toBe(true);
      for (const wrong of ["", "sha256=", "0".repeat(64), `sha256=${"0".repeat(64)}`, "v1,", "é", "a, b"]) {
        expect(check({ ...headers, [header]: wrong }, body, secret), wrong).toBe(false);
      }
      delete headers[header];
      expect(check(headers, body, secret)).toBe(false);
    },
  );

  test("a header that is sent twice does not verify", () => {
    const headers: Record<string, string> = signedHeaders.github(secret, body);
    const signature = headers["x-hub-signature-256"]!;
    headers["x-hub-signature-256"] = `${signature}, ${signature}`;
    expect(createProof("github", headers, Date.now())).toBeUndefined();
  });

  test("a SHA-1 signature alone does not verify", () => {
    const headers: Record<string, string> = signedHeaders.github(secret, body);
    delete headers["x-hub-signature-256"];
    expect(check(headers, body, secret)).toBe(false);
  });

  test("a signing token that is not base64 is never an empty key", () => {
    const now = String(Math.floor(Date.now() / 1000));
    const signed = new Webhook(Buffer.from("x").toString("base64"));
    const headers = {
      "x-gitlab-event": "Push Hook",
      "webhook-id": "1",
      "webhook-timestamp": now,
      "webhook-signature": signed.sign("1", new Date(Number(now) * 1000), body),
    };
    expect(check(headers, body, "whsec_!!!!!!!!!!!!!!!!!!")).toBe(false);
    expect(check(headers, body, "whsec_")).toBe(false);
  });
});

describe("the dialect of a request", () => {
  const families: Record<Dialect, readonly string[]> = {
    forgejo: ["x-forgejo-event", "x-forgejo-signature", "x-forgejo-delivery"],
    gitea: ["x-gitea-event", "x-gitea-signature", "x-gitea-delivery"],
    gitlab: ["x-gitlab-event", "x-gitlab-token", "x-gitlab-event-uuid", "webhook-signature"],
    github: ["x-github-event", "x-hub-signature-256", "x-github-delivery"],
    bitbucket: ["x-event-key", "x-hub-signature"],
  };
  const order = ["forgejo", "gitea", "gitlab", "github", "bitbucket"] as const;

  test("is detected from the headers of each code host", () => {
    for (const dialect of dialects) {
      expect(detectDialect(signedHeaders[dialect](secret, body))).toBe(dialect);
      expect(readEventName(dialect, signedHeaders[dialect](secret, body))).not.toBe("");
      expect(readDeliveryId(dialect, signedHeaders[dialect](secret, body, { id: "n-1" }))?.id).toBe("n-1");
    }
  });

  test("is the most specific one when headers are mixed", () => {
    const names = Object.values(families).flat();
    const value = fc.stringMatching(/^[\x21-\x7e]{1,80}$/);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names, "x-other", "authorization"), value), (given) => {
        const expected = order.find((dialect) => families[dialect].some((name) => name in given));
        expect(detectDialect(given)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("no combination of headers verifies without a signature", () => {
    const names = [...Object.values(families).flat(), "webhook-id", "webhook-timestamp"];
    const junk = fc.oneof(
      fc.stringMatching(/^[\x21-\x7e]{1,100}$/),
      fc.stringMatching(/^sha256=[0-9a-f]{64}$/),
      fc.stringMatching(/^[0-9a-f]{64}$/),
      fc.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      fc.constant(String(Math.floor(Date.now() / 1000))),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), junk), fc.string(), (given, text) => {
        expect(check(given, text, secret)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });
});
