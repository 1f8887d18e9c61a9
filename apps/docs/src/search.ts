import type { Options, SearchOptions } from "minisearch";

/** How a match in each field and in each part of the site counts. The browser runs the same function. */
export const searchOptions: SearchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, titles: 2, text: 1 },
  boostDocument: (id) => {
    if (/^\/(?:recipes|tutorial)\//.test(id)) return 2;
    return /^\/(?:api|contributing)\//.test(id) ? 0.5 : 1;
  },
};

/**
 * The terms of an English question or text: no words without a subject, and plurals as singulars. The browser runs the
 * same function on what is typed, so it must not use anything outside of itself.
 */
export const processTerm: NonNullable<Options["processTerm"]> = (term) => {
  const stopWords =
    " a about all am an and any are as at be been but by can could did do does for from get give had has have how i if in into is it its let make makes may me my need of on or our should so some than that the their them then there these they this to up use used using want was we were what when where which who why will with would you your ";
  const word = term.toLowerCase().replace(/['’]s?$/, "");
  if (stopWords.includes(` ${word} `)) return null;
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  return word.replace(/ies$/, "y").replace(/(?<=[^s])s$/, "");
};
