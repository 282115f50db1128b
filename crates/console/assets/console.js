// Makes the pages livelier. Each of them is complete without it.
import { copyButtons } from "./copy.js";
import { keyboard } from "./keyboard.js";
import { moments } from "./moment.js";
import { search } from "./search.js";
import { tail } from "./tail.js";

document.documentElement.classList.add("has-script");
copyButtons();
localTimes();
keyboard(search());
moments();
tail(localTimes);
// On a narrow screen, the navigation is a strip that may begin elsewhere.
document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

// Shows times in the viewer's zone. UTC stays in the title.
function localTimes(within = document) {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  for (const element of within.querySelectorAll("time[datetime]")) {
    const time = new Date(element.dateTime);
    if (!Number.isNaN(time.getTime())) element.textContent = format.format(time);
  }
}
