/**
 * What the pages do with JavaScript: results while typing, a button that copies code, a menu that is closed on a phone.
 * Everything else works without it. The pages allow no markup from text, so elements are made one by one.
 */
const field = document.querySelector("#search");
const form = field.form;
const menu = document.querySelector(".menu details");
if (menu && matchMedia("(max-width: 820px)").matches) menu.open = false;

const make = (name, text) => {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
};

let asked = 0;
const close = () => form.querySelector(".found")?.remove();
const show = (results, query) => {
  close();
  const list = make("ul", "");
  list.className = "found";
  list.setAttribute("aria-label", "Results");
  for (const { url, page, heading, excerpt } of results) {
    const item = make("li", "");
    const link = make("a", "");
    link.href = url;
    link.append(make("b", heading === page ? page : `${page} · ${heading}`), excerpt.slice(0, 110));
    item.append(link);
    list.append(item);
  }
  if (results.length === 0) {
    const item = make("li", "");
    item.append(make("p", `Nothing found for “${query}”.`));
    list.append(item);
  }
  form.append(list);
};
field.addEventListener("input", async () => {
  const turn = ++asked;
  const query = field.value.trim();
  if (query.length < 2) return close();
  await new Promise((resolve) => setTimeout(resolve, 120));
  if (turn !== asked) return;
  try {
    const reply = await fetch(`/docs/search.json?q=${encodeURIComponent(query.slice(0, 200))}`);
    const { results } = await reply.json();
    if (turn === asked) show(results.slice(0, 8), query);
  } catch {
    close();
  }
});
form.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    close();
    field.focus();
    return;
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = [field, ...form.querySelectorAll(".found a")];
  const next = stops[stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
  if (next) {
    event.preventDefault();
    next.focus();
  }
});
document.addEventListener("click", (event) => {
  if (!form.contains(event.target)) close();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName)) {
    event.preventDefault();
    field.focus();
  }
});

for (const block of document.querySelectorAll(".code")) {
  const button = make("button", "Copy");
  button.type = "button";
  button.className = "copy";
  button.addEventListener("click", async () => {
    const code = block.querySelector("code").textContent.replace(/^\$ /gm, "");
    try {
      await navigator.clipboard.writeText(code.trimEnd());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy";
    }
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  block.append(button);
}
