// The API's shapes by their names.
import type { components } from "./schema";

type Shapes = components["schemas"];

export type Account = Shapes["AccountView"];
export type Bar = Shapes["TimetableBar"];
export type BarKind = Shapes["BarKind"];
export type Budget = Shapes["BudgetView"];
export type Change = Shapes["ChangeView"];
export type Decision = Shapes["DecisionView"];
export type DecidedJob = Shapes["DecidedJobView"];
export type Displaced = Shapes["DisplacedView"];
export type Draft = Shapes["DraftView"];
export type EventKind = Shapes["EventKind"];
export type Explanation = Shapes["ExplanationView"];
export type Happening = Shapes["EventView"];
export type History = Shapes["HistoryView"];
export type Job = Shapes["JobView"];
export type JobFile = Shapes["Job"];
export type JobState = Shapes["JobState"];
export type Me = Shapes["MeView"];
export type Offer = Shapes["OfferView"];
export type Part = Shapes["PartView"];
export type Policy = Shapes["Policy"];
export type Prices = Shapes["Prices"];
export type Problem = Shapes["ProblemView"];
export type Quote = Shapes["QuoteView"];
export type Replay = Shapes["ReplayView"];
export type Role = Shapes["Role"];
export type Site = Shapes["SiteView"];
export type StatementLine = Shapes["StatementLine"];
export type Status = Shapes["StatusView"];
export type Timetable = Shapes["TimetableView"];
export type Token = Shapes["TokenView"];
export type Trial = Shapes["TrialView"];
export type TrialFigures = Shapes["TrialFigures"];
export type User = Shapes["UserView"];
export type Way = Shapes["WayView"];
