// The sign of the house, as in icon.svg.
export const Logo = ({ size }: { size: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#0b6e5b" />
    <rect x="6" y="8" width="13" height="4" rx="2" fill="#fff" />
    <rect x="11" y="14" width="15" height="4" rx="2" fill="#9fe3cf" />
    <rect x="6" y="20" width="9" height="4" rx="2" fill="#fff" />
  </svg>
);
