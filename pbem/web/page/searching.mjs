// Searching the rules: every word that is typed must stand in a row or be its number, whatever the accents.

/** @typedef {{ title: string, rows: { id: string, text: string }[] }} Section */

/** @param {string} text */
const bare = (text) => text.normalize("NFD").replace(/[\u0300-\u036f\u00ad]/g, "").toLowerCase();

/**
 * @param {Section[]} sections
 * @param {string} wanted
 * @returns {Section[]} those with a row that fits, and only such rows
 */
export function matching(sections, wanted) {
  const words = bare(wanted).split(/\s+/).filter(Boolean);
  if (!words.length) return sections;
  return sections.map(({ title, rows }) => ({
    title,
    rows: rows.filter((row) => {
      const text = bare(`${row.id} ${row.text} ${title}`);
      return words.every((word) => text.includes(word));
    }),
  })).filter((section) => section.rows.length);
}
