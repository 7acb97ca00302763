//! The inverse of a small matrix, kept while rows are exchanged.

use super::table::dot;

/// A pivot below this is none.
const TINY: f64 = 1e-9;

/// Column by column, each for one row of the matrix.
pub(super) struct Inverse {
    size: usize,
    entries: Vec<f64>,
}

impl Inverse {
    /// Of nothing yet.
    pub(super) fn new(size: usize) -> Inverse {
        Inverse { size, entries: vec![0.0; size * size] }
    }

    pub(super) fn column(&self, at: usize) -> &[f64] {
        &self.entries[at * self.size..(at + 1) * self.size]
    }

    /// Inverts a matrix, given by rows, by elimination with row exchanges; whether it could be.
    pub(super) fn of(&mut self, matrix: &[f64]) -> bool {
        let (size, width) = (self.size, 2 * self.size);
        let mut rows = vec![0.0; size * width];
        for (at, row) in matrix.chunks(size.max(1)).enumerate() {
            rows[at * width..at * width + size].copy_from_slice(row);
            rows[at * width + size + at] = 1.0;
        }
        for pivot in 0..size {
            if !eliminate(&mut rows, pivot, size) {
                return false;
            }
        }
        for (at, row) in rows.chunks(width.max(1)).enumerate() {
            for (column, entry) in row[size..].iter().enumerate() {
                self.entries[column * size + at] = *entry;
            }
        }
        true
    }

    /// Puts a row in the place of another (Sherman and Morrison).
    pub(super) fn exchange(&mut self, leaving: usize, row: &[f64]) {
        let products: Vec<f64> = (0..self.size).map(|at| dot(self.column(at), row)).collect();
        let pivot: Vec<f64> = self.column(leaving).iter().map(|entry| entry / products[leaving]).collect();
        for (at, product) in products.iter().enumerate() {
            let entries = &mut self.entries[at * self.size..(at + 1) * self.size];
            if at == leaving {
                entries.copy_from_slice(&pivot);
            } else {
                entries.iter_mut().zip(&pivot).for_each(|(entry, other)| *entry -= product * other);
            }
        }
    }

    /// Subtracts one of these rows from the others and turns its sign.
    pub(super) fn turn(&mut self, rows: &[usize], pivot: usize) {
        let mut sum = vec![0.0; self.size];
        for row in rows {
            sum.iter_mut().zip(self.column(*row)).for_each(|(sum, entry)| *sum -= entry);
        }
        self.entries[pivot * self.size..(pivot + 1) * self.size].copy_from_slice(&sum);
    }
}

/// One step of the elimination, on rows twice as wide as the matrix.
fn eliminate(rows: &mut [f64], pivot: usize, size: usize) -> bool {
    let width = 2 * size;
    let size_of = |row: usize| rows[row * width + pivot].abs();
    let Some(best) = (pivot..size).max_by(|a, b| size_of(*a).total_cmp(&size_of(*b))) else { return false };
    if size_of(best) < TINY {
        return false;
    }
    if best != pivot {
        let (upper, lower) = rows.split_at_mut(best * width);
        upper[pivot * width..(pivot + 1) * width].swap_with_slice(&mut lower[..width]);
    }
    let scale = 1.0 / rows[pivot * width + pivot];
    let chosen: Vec<f64> =
        rows[pivot * width..(pivot + 1) * width].iter().map(|entry| entry * scale).collect();
    for (at, row) in rows.chunks_mut(width).enumerate() {
        let factor = row[pivot];
        if at == pivot {
            row.copy_from_slice(&chosen);
        } else {
            row[pivot..].iter_mut().zip(&chosen[pivot..]).for_each(|(entry, other)| *entry -= factor * other);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(inverse: &Inverse, rows: &[[f64; 3]; 3]) {
        for (at, row) in rows.iter().enumerate() {
            for column in 0..3 {
                let expected = if at == column { 1.0 } else { 0.0 };
                assert!((dot(row, inverse.column(column)) - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn rows_are_exchanged_and_turned() {
        let mut rows = [[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [3.0, 0.0, 1.0]];
        let mut inverse = Inverse::new(3);
        assert!(inverse.of(rows.as_flattened()));
        check(&inverse, &rows);
        rows[1] = [4.0, 0.5, 2.0];
        inverse.exchange(1, &rows[1]);
        check(&inverse, &rows);
        let pivot = rows[2];
        for entry in 0..3 {
            rows[0][entry] -= pivot[entry];
            rows[2][entry] = -pivot[entry];
        }
        inverse.turn(&[0, 2], 2);
        check(&inverse, &rows);
        assert!(!Inverse::new(2).of(&[1.0, 2.0, 2.0, 4.0]), "one row twice");
    }
}
