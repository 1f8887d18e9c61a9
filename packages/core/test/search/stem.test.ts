import { describe, expect, it } from "vitest";
import { stem } from "../../src/search/words.ts";

// The examples of the paper, step by step.
const examples = `caresses:caress ponies:poni ties:ti caress:caress cats:cat feed:feed agreed:agre
plastered:plaster bled:bled motoring:motor sing:sing conflated:conflat troubled:troubl sized:size
hopping:hop tanned:tan falling:fall hissing:hiss fizzed:fizz failing:fail filing:file happy:happi
sky:sky relational:relat conditional:condit rational:ration valenci:valenc hesitanci:hesit
digitizer:digit conformabli:conform radicalli:radic differentli:differ vileli:vile
analogousli:analog vietnamization:vietnam predication:predic operator:oper feudalism:feudal
decisiveness:decis hopefulness:hope callousness:callous formaliti:formal sensitiviti:sensit
sensibiliti:sensibl triplicate:triplic formative:form formalize:formal electriciti:electr
electrical:electr hopeful:hope goodness:good revival:reviv allowance:allow inference:infer
airliner:airlin gyroscopic:gyroscop adjustable:adjust defensible:defens irritant:irrit
replacement:replac adjustment:adjust dependent:depend adoption:adopt homologou:homolog
communism:commun activate:activ angulariti:angular homologous:homolog effective:effect
bowdlerize:bowdler probate:probat rate:rate cease:ceas controll:control roll:roll`;

describe("the stem of a word", () => {
  it.each(examples.split(/\s+/).map((pair) => pair.split(":")))("%s is %s", (word, expected) => {
    expect(stem(word as string)).toBe(expected);
  });

  it.each(["", "a", "is", "v2", "naïve", "東京", "__proto__"])("%j is unchanged", (word) => {
    expect(stem(word)).toBe(word);
  });

  it("is the same for the forms of a word", () => {
    const forms = ["connect", "connected", "connecting", "connection", "connections"];
    expect(new Set(forms.map(stem))).toEqual(new Set(["connect"]));
  });
});
