// Every view: where it is, what it is called, and who has it.
import type { ComponentChildren } from "preact";
import type { Me, Role } from "../api/types";
import { administers, mayRunJobs } from "../live/session";
import { Link } from "../parts/link";
import type { Place } from "../route";
import { CyclesView } from "./cycles";
import { JobPage } from "./job";
import { JobsView } from "./jobs";
import { MarketView } from "./market";
import { MoneyView } from "./money";
import { PeopleView } from "./people";
import { PolicyView } from "./policy";
import { ScheduleView } from "./schedule";
import { SitesView } from "./sites";
import { SubmitView } from "./submit";

interface View {
  path: string;
  name: string;
  for: (role: Role) => boolean;
  show: (place: Place, who: Me) => ComponentChildren;
}

const everybody = (): boolean => true;

const VIEWS: readonly View[] = [
  { path: "/", name: "Market", for: everybody, show: (_, who) => <MarketView who={who} /> },
  { path: "/schedule", name: "Schedule", for: everybody, show: (place) => <ScheduleView query={place.query} /> },
  { path: "/submit", name: "Submit", for: mayRunJobs, show: (_, who) => <SubmitView who={who} /> },
  { path: "/jobs", name: "Jobs", for: mayRunJobs, show: jobs },
  { path: "/sites", name: "Sites", for: everybody, show: (place, who) => <SitesView who={who} query={place.query} /> },
  { path: "/money", name: "Money", for: everybody, show: (place, who) => <MoneyView who={who} query={place.query} /> },
  { path: "/policy", name: "Policy", for: everybody, show: (_, who) => <PolicyView who={who} /> },
  { path: "/cycles", name: "Cycles", for: administers, show: (place) => <CyclesView query={place.query} /> },
  { path: "/people", name: "People", for: administers, show: () => <PeopleView /> },
];

/** A job by its number, or an element as 17_3. */
const JOB = /^\/jobs\/(\d+(?:_\d+)?)$/;

function jobs(place: Place, who: Me): ComponentChildren {
  const job = JOB.exec(place.path)?.[1];
  return job === undefined ? <JobsView who={who} query={place.query} /> : <JobPage key={job} job={job} who={who} />;
}

export const viewsFor = (role: Role): readonly View[] => VIEWS.filter((view) => view.for(role));

/** What is shown at a place. */
export function viewAt(place: Place, who: Me): { name: string; view: ComponentChildren } {
  const top = `/${place.path.split("/")[1] ?? ""}`;
  const inner = place.path.slice(top.length);
  const known = inner === "" || inner === "/" || JOB.test(place.path);
  const view = VIEWS.find((it) => it.path === top && known);
  if (!view) return { name: "Nothing here", view: <Nothing text="There is nothing at this address." /> };
  if (!view.for(who.role)) {
    return { name: view.name, view: <Nothing text={`This view is not for the role ${who.role}.`} /> };
  }
  return { name: view.name, view: view.show(place, who) };
}

const Nothing = ({ text }: { text: string }) => (
  <>
    <h1>Nothing here</h1>
    <p>
      {text} <Link to="/">Go to the market.</Link>
    </p>
  </>
);

