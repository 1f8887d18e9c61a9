import { defineTool, ToolError, type Tool } from "@toolweave/core";

/** A list of notes, and the tools with which a model reads and changes it. */
export function noteTools(notes: string[]): Tool[] {
  const listNotes = defineTool({
    name: "list_notes",
    description: "List all notes, in the order in which they were added.",
    input: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
    execute: () => ({ notes: [...notes] }),
  });

  const addNote = defineTool({
    name: "add_note",
    description: "Add a note.",
    input: {
      type: "object",
      properties: { text: { type: "string", minLength: 1, maxLength: 500 } },
      required: ["text"],
    },
    execute: ({ text }) => ({ number: notes.push(text) }),
  });

  const deleteNote = defineTool({
    name: "delete_note",
    description: "Delete a note by its number, which begins at 1.",
    input: {
      type: "object",
      properties: { number: { type: "integer", minimum: 1 } },
      required: ["number"],
    },
    // A person approves each call: remove this line, and every call runs at once.
    needsApproval: true,
    execute: ({ number }) => {
      const [deleted] = notes.splice(number - 1, 1);
      if (deleted === undefined) {
        throw new ToolError("not_found", `There is no note ${number}: call list_notes first.`);
      }
      return { deleted };
    },
  });

  return [listNotes, addNote, deleteNote];
}
