//! Collections that are copied in constant time, for a state that is copied for every input.
//!
//! **Problem.** A decision is tried out on a copy of the state, and there may be a million jobs in it.
//!
//! **Method.** Persistent trees: a copy shares all of its nodes, and a change makes new ones on the path to the root only.
//! Values are shared too, so that a new node costs as many counts as it has entries, and no value but the changed one is
//! ever copied. For the same reason keys should be cheap to copy: numbers, or text behind an [`Arc`].
//!
//! **Complexity.** O(1) for a copy, O(log n) for everything else.

use imbl::{OrdMap, Vector};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::ops::{Index, RangeBounds};
use std::sync::Arc;

/// Values by key, in order of the keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[serde(bound(serialize = "K: Ord + Serialize, V: Serialize"))]
#[serde(bound(deserialize = "K: Ord + Clone + Deserialize<'de>, V: Deserialize<'de>"))]
pub struct Table<K: Ord, V>(OrdMap<K, Arc<V>>);

/// Values by position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[serde(bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct List<T>(Vector<Arc<T>>);

impl<K: Ord, V> Default for Table<K, V> {
    fn default() -> Self {
        Table(OrdMap::new())
    }
}

impl<K: Ord + Clone, V> Table<K, V> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(key).map(Arc::as_ref)
    }

    /// Whether a key has a value.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    /// All, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + Clone {
        self.0.iter().map(|(key, value)| (key, value.as_ref()))
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// All values, in order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// All whose keys lie within bounds, in order.
    pub fn range(&self, keys: impl RangeBounds<K>) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.0.range(keys).map(|(key, value)| (key, value.as_ref()))
    }

    /// Gives a key a value.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.0.insert(key, Arc::new(value));
    }

    /// Takes a key's value away.
    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.0.remove(key);
    }

    /// Takes the first away.
    pub(crate) fn remove_first(&mut self) {
        if let Some((key, _)) = self.0.get_min() {
            let key = key.clone();
            self.0.remove(&key);
        }
    }

    /// The value of a key, to be changed; copied first where somebody else has it too.
    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        V: Clone,
    {
        self.0.get_mut(key).map(Arc::make_mut)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List(Vector::new())
    }
}

impl<T> List<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value at a position.
    pub fn get(&self, place: usize) -> Option<&T> {
        self.0.get(place).map(Arc::as_ref)
    }

    /// All, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.0.iter().map(Arc::as_ref)
    }

    /// Adds a value at the end.
    pub(crate) fn push(&mut self, value: T) {
        self.0.push_back(Arc::new(value));
    }

    /// The value at a position, to be changed; copied first where somebody else has it too.
    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut T>
    where
        T: Clone,
    {
        self.0.get_mut(place).map(Arc::make_mut)
    }
}

impl<T> Index<usize> for List<T> {
    type Output = T;

    /// # Panics
    /// When there is no such position.
    fn index(&self, place: usize) -> &T {
        &self.0[place]
    }
}

/// All of a table, for loops.
pub struct Entries<'a, K, V>(imbl::ordmap::Iter<'a, K, Arc<V>, imbl::shared_ptr::DefaultSharedPtr>);

impl<'a, K: Ord, V> Iterator for Entries<'a, K, V> {
    type Item = (&'a K, &'a V);
    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        self.0.next().map(|(key, value)| (key, value.as_ref()))
    }
}

impl<'a, K: Ord + Clone, V> IntoIterator for &'a Table<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Entries<'a, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        Entries(self.0.iter())
    }
}

impl<K: Ord + Clone + Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for Table<K, V> {
    type Output = V;

    /// # Panics
    /// When there is no such key.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("a key that is there")
    }
}
