//! The service over HTTP: who may do what, and that the API is what its description says.

#![allow(clippy::unwrap_used, reason = "a test binary")]

mod access;
mod administration;
mod again;
mod arrays;
mod contract;
mod description;
mod floods;
mod house;
mod objects;
mod owners;
mod page;
mod predictions;
mod privacy;
mod reports;
mod searching;
mod wishes;
