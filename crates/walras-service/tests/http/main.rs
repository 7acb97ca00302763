//! The service over HTTP: who may do what, and that the API is what its description says.

#![allow(clippy::unwrap_used, reason = "a test binary")]

mod access;
mod administration;
mod again;
mod arrays;
mod assigning;
mod chains;
mod contract;
mod description;
mod exact;
mod floods;
mod giving;
mod holds;
mod house;
mod lateness;
mod moves;
mod objects;
mod owners;
mod page;
mod places;
mod predictions;
mod privacy;
mod reports;
mod searching;
mod timetable;
mod wishes;
