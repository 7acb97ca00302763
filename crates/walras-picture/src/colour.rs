//! Colours: one per job, and the few that the picture itself uses.

use crate::number::real_count;

/// Behind everything, so that the picture reads the same in a dark viewer.
pub(crate) const PAGE: &str = "#ffffff";
/// Text that matters.
pub(crate) const INK: &str = "#1c2430";
/// Text that helps.
pub(crate) const DIM: &str = "#5c6773";
/// Axes, grid lines and borders.
pub(crate) const LINE: &str = "#cfd6de";
/// Free time.
pub(crate) const FREE: &str = "#e6f2ea";
/// The ground of owners' work.
pub(crate) const BUSY: &str = "#e1e4e9";
/// The hatching of owners' work.
pub(crate) const HATCH: &str = "#bcc3cc";
/// What the reader should not miss.
pub(crate) const ALERT: &str = "#a8321f";

/// Sites' bands.
pub(crate) const BAND: &str = "#f3f5f8";

/// A colour as red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour([u8; 3]);

/// For the first jobs: apart in hue and lightness, none of them close to the grey of owners' work or the
/// green of free time.
const PALETTE: [Colour; 10] = [
    Colour([0x2f, 0x6d, 0xb5]),
    Colour([0xe5, 0x8a, 0x1f]),
    Colour([0x1f, 0x8a, 0x5b]),
    Colour([0xc9, 0x3f, 0x4b]),
    Colour([0x80, 0x57, 0xb8]),
    Colour([0x1d, 0xa3, 0xb5]),
    Colour([0xd9, 0x67, 0xa5]),
    Colour([0xb8, 0x9a, 0x1e]),
    Colour([0x8a, 0x57, 0x3a]),
    Colour([0x5f, 0x6f, 0xd9]),
];

/// Turning by this angle never comes back close to an earlier hue soon.
const GOLDEN_ANGLE: f64 = 137.507_764;

const LIGHTNESS: [f64; 3] = [0.46, 0.62, 0.36];
const SATURATION: [f64; 2] = [0.58, 0.42];

/// The colour of the job at this position of its batch.
pub(crate) fn job_colour(job: usize) -> Colour {
    PALETTE.get(job).copied().unwrap_or_else(|| {
        let later = job - PALETTE.len();
        let hue = (real_count(later) * GOLDEN_ANGLE + 20.0) % 360.0;
        Colour::from_hsl(hue, SATURATION[later / 3 % 2], LIGHTNESS[later % 3])
    })
}

impl Colour {
    /// As SVG writes it.
    pub(crate) fn hex(self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// White or ink, whichever stands out more on this colour.
    pub(crate) fn text(self) -> &'static str {
        let luminance = self.luminance();
        let on_white = 1.05 / (luminance + 0.05);
        let on_ink = (luminance + 0.05) / (INK_LUMINANCE + 0.05);
        // Light text on a saturated ground reads better than the formula says, hence the weight.
        if on_white * 1.4 >= on_ink { "#ffffff" } else { INK }
    }

    /// The same hue, dark enough for text on a light ground.
    pub(crate) fn darker(self) -> Colour {
        Colour(self.0.map(|channel| byte(f64::from(channel) / 255.0 * 0.65)))
    }

    /// One of three shades of the same hue: itself, and two that are lighter.
    pub(crate) fn shade(self, number: usize) -> Colour {
        let white = [0.0, 0.28, 0.5][number % 3];
        Colour(self.0.map(|channel| {
            let own = f64::from(channel) / 255.0;
            byte(own + (1.0 - own) * white)
        }))
    }

    /// Relative luminance as WCAG 2 defines it.
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// Hue in degrees, the others from 0 to 1.
    fn from_hsl(hue: f64, saturation: f64, lightness: f64) -> Colour {
        let reach = saturation * lightness.min(1.0 - lightness);
        let channel = |offset: f64| {
            let turn = (offset + hue / 30.0) % 12.0;
            byte(lightness - reach * (turn - 3.0).min(9.0 - turn).clamp(-1.0, 1.0))
        };
        Colour([channel(0.0), channel(8.0), channel(4.0)])
    }
}

/// The luminance of [`INK`].
const INK_LUMINANCE: f64 = 0.0175;

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn byte(share: f64) -> u8 {
    (share * 255.0).round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_hundred_jobs_have_a_hundred_colours() {
        let colours: BTreeSet<String> = (0..100).map(|job| job_colour(job).hex()).collect();
        assert_eq!(colours.len(), 100);
    }

    #[test]
    fn hsl_is_converted() {
        assert_eq!(Colour::from_hsl(0.0, 1.0, 0.5).hex(), "#ff0000");
        assert_eq!(Colour::from_hsl(120.0, 1.0, 0.5).hex(), "#00ff00");
        assert_eq!(Colour::from_hsl(240.0, 1.0, 0.25).hex(), "#000080");
    }

    #[test]
    fn text_stands_out() {
        assert_eq!(Colour([255, 240, 180]).text(), INK);
        assert_eq!(Colour([20, 40, 90]).text(), "#ffffff");
        for job in 0..100 {
            let luminance = job_colour(job).luminance();
            let contrast = if job_colour(job).text() == INK {
                (luminance + 0.05) / (INK_LUMINANCE + 0.05)
            } else {
                1.05 / (luminance + 0.05)
            };
            assert!(contrast >= 3.0, "job {job}: {contrast}");
        }
    }
}
