/** The mode in which agents read claims. In every other one they are shown none. */
export const READING_MODE = 'live';
