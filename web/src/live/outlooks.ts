// What the next plan would do with jobs that were just submitted from this page, to be shown with them.
import type { Outlook } from "../api/types";

export const outlooks = new Map<number, Outlook>();
