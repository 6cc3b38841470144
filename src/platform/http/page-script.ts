/**
 * Code that the scripts of our pages share. The token of a link stays in the address bar, and scripts send it only to
 * its route.
 */
export const pageScript = `
const $ = (id) => document.getElementById(id);
const linkToken = () => new URLSearchParams(location.search).get("token");

/** Shows a message and announces it to screen readers. With quietly it is only announced. */
function tell(text, quietly = false) {
  $("say").classList.toggle("quietly", quietly);
  $("say").textContent = text;
}

/** Never throws. Without an answer from the server the status is 0. */
async function send(path, body, { method = "POST", headers = {} } = {}) {
  try {
    const reply = await fetch(path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, ok: reply.ok, body: await reply.json().catch(() => ({})) };
  } catch {
    return { status: 0, ok: false, body: { message: "The server did not answer. Check your connection, then try again." } };
  }
}

const readMessage = ({ status, body }) => body.message ?? body.details?.[0]?.message
  ?? (status >= 500 ? "The server could not do this now. Try again in a moment." : "This was refused (" + (body.error ?? status) + ").");

function clearProblems(form) {
  for (const hint of form.querySelectorAll(".problem")) hint.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}

/** Shows each message at its field; a message without a field is shown at the button. */
function showProblem(form, reply) {
  const about = (reply.body.details ?? []).filter(({ path }) => form.elements?.namedItem(String(path?.[0])));
  if (about.length === 0) return tell(readMessage(reply));
  tell("");
  for (const { path, message } of about) {
    const field = form.elements.namedItem(String(path[0]));
    const hint = document.createElement("p");
    hint.className = "hint bad problem";
    hint.id = field.id + "-problem";
    hint.textContent = message;
    field.after(hint);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", hint.id);
  }
  form.elements.namedItem(String(about[0].path[0])).focus();
}

/** Runs the work when the form is submitted, one at a time, and marks the button as busy. */
function onSubmit(form, work) {
  let busy = false;
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    const button = event.submitter ?? form.querySelector("button");
    button?.setAttribute("aria-busy", "true");
    clearProblems(form);
    // Messages appear at the button that was pressed.
    (form.querySelector(".actions") ?? button)?.before($("say"));
    tell("One moment…", true);
    try { await work(button); } finally {
      busy = false;
      button?.removeAttribute("aria-busy");
      if ($("say").textContent === "One moment…") tell("");
    }
  });
}

/** Replaces the whole view, so that nothing of the old one contradicts the new one. */
function finish(name, fields = {}) {
  const view = $("end-" + name).content.cloneNode(true);
  for (const place of view.querySelectorAll("[data-field]")) place.textContent = fields[place.dataset.field] ?? "";
  $("view").after($("say"));
  $("view").replaceChildren(view);
  const title = $("view").querySelector("h1");
  document.title = title.textContent + " · Signalbox";
  tell(title.textContent, true);
  title.tabIndex = -1;
  title.focus();
}

/** Loads the page again, for the account that is signed in now. */
const openAgain = () => location.replace(location.pathname + location.search);
`;
