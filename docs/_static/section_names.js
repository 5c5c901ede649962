// The switches of the side bar have no text; name them after the section that they open.
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll("details > summary")) {
    if (summary.textContent.trim() || summary.hasAttribute("aria-label")) continue;
    const link = summary.closest("li")?.querySelector("a");
    summary.setAttribute("aria-label", `Pages of ${link ? link.textContent.trim() : "this section"}`);
  }
});
