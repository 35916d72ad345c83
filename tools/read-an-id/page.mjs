// What the reader of doc/read-an-id.html sees and does.
//
// "make page" puts this file into the page, behind ids.mjs.

import { readPaste, timeText } from './ids.mjs';

const TWITTER_MS = 1288834974657;
const MAX_SECONDS = 253402300799;
const DAY_S = 86400;
const SHOWN = 500; // items: a browser stands still over some thousands
const element = (id) => document.getElementById(id);

// An element with these children: texts or elements.
function make(tag, children, properties = {}) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function copyButton(name, text) {
  const button = make('button', ['Copy'], { type: 'button' });
  button.setAttribute('aria-label', `Copy ${name}`);
  button.addEventListener('click', () => copy(button, text));
  return button;
}

// Without a clipboard, as in some browsers for a file, the text is selected in a field.
async function copy(button, text) {
  const label = button.dataset.label ??= button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = make('textarea', [text], { readOnly: true });
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
    button.focus();
  }
  element('status').textContent = 'Copied.';
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = label; }, 1500);
}

// The rows of a reading; a time is two of them. Large numbers are texts.
function rowsOf({ parts }) {
  return parts.flatMap(([name, value]) => (value.us === undefined ? [[name, String(value)]] :
    [[`${name}, UTC`, timeText(value.us)], [`${name}, local`, timeText(value.us, true)]]));
}

function formOf({ form, prefix, text, id, remark }) {
  return [`${form}${prefix === undefined ? '' : `, prefix ${prefix}`}`,
    ...text === id ? [] : [`from ${text.length > 100 ? `${text.slice(0, 100)}…` : text}`],
    ...remark === undefined ? [] : [remark]].join('; ');
}

function table(reading) {
  return make('table', [
    make('caption', [make('strong', [reading.family]), ` ${reading.meaning}`]),
    make('tbody', rowsOf(reading).map(([name, value]) => make('tr', [
      make('th', [name], { scope: 'row' }),
      make('td', [value]),
      make('td', [copyButton(name, value)])])))]);
}

function section(item) {
  if (item.problem) {
    return make('section', [make('p', [make('code', [item.text])]),
      make('p', [make('strong', [`Not ${item.near ?? 'an id'}: `]), item.problem])], { className: 'near' });
  }
  return make('section', [
    make('div', [make('h2', [item.id]), copyButton('id', item.id)], { className: 'bar' }),
    make('p', [formOf(item)], { className: 'soft' }),
    ...item.readings.map(table)]);
}

// An item as lines of text, for "Copy all".
function textOf(item) {
  if (item.problem) return `${item.text}\n  not ${item.near ?? 'an id'}: ${item.problem}\n`;
  return [item.id, `  ${formOf(item)}`, ...item.readings.flatMap((reading) => [
    `  ${reading.family}: ${reading.meaning}`,
    ...rowsOf(reading).map(([name, value]) => `    ${name}: ${value}`)]), ''].join('\n');
}

// A number of a field, or what stands for an empty one. Null: neither.
function numberOf(id, preset, max) {
  const text = element(id).value.trim();
  if (text === '') return preset;
  return /^[0-9]+$/.test(text) && Number(text) <= max ? Number(text) : null;
}

function statusOf(ids, nears, paste) {
  const count = (n, what) => (n === 0 ? [] : [`${n} ${what}${n === 1 ? '' : 's'}`]);
  if (paste.trim() === '') return '';
  if (ids + nears === 0) return 'No id found.';
  const nearly = `that ${nears === 1 ? 'is' : 'are'} nearly an id`;
  const first = ids + nears > SHOWN ? [`the first ${SHOWN} are shown, "Copy all" has all`] : [];
  return [...count(ids, 'id'), ...count(nears, 'text').map((text) => `${text} ${nearly}`), ...first].join(', ');
}

let items = [];

function show() {
  const paste = element('paste').value;
  const nowMs = Date.now();
  const nearS = numberOf('near', Math.floor(nowMs / 1000) + DAY_S, MAX_SECONDS);
  const epochMs = numberOf('epoch', TWITTER_MS, MAX_SECONDS * 1000 + 999);
  const isGood = nearS !== null && epochMs !== null;
  items = isGood ? readPaste(paste, { nowMs, nearMs: nearS * 1000, epochMs })
    .filter((item) => !item.problem || item.near) : [];
  const nears = items.filter((item) => item.problem).length;
  element('found').replaceChildren(...items.slice(0, SHOWN).map(section));
  element('all').hidden = items.length === 0;
  element('status').textContent = isGood ? statusOf(items.length - nears, nears, paste) :
    'The time and the epoch are whole numbers.';
}

for (const id of ['paste', 'near', 'epoch']) element(id).addEventListener('input', show);
element('all').addEventListener('click', ({ target }) => copy(target, items.map(textOf).join('\n')));
show();
