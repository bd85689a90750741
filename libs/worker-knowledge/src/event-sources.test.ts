import { expect, test } from 'vitest';
import { eventSettingsSchema } from './event-settings.ts';
import { eventSources } from './event-sources.ts';

const settings = eventSettingsSchema.parse({});
const said = { eventsEndpoint: 'tcp://10.0.0.1:5557', replayEndpoint: 'tcp://10.0.0.1:6557' };

test('what the engine says counts, ranks count its ports up', () => {
  expect(eventSources(settings, said)).toEqual([{ ...said, isBound: false, topic: '' }]);
  expect(eventSources({ ...settings, ranks: 3 }, said).at(-1)).toMatchObject({
    eventsEndpoint: 'tcp://10.0.0.1:5559',
    replayEndpoint: 'tcp://10.0.0.1:6559',
  });
});

test('what is configured counts more', () => {
  const configured = {
    ...settings,
    ranks: 2,
    endpoints: ['tcp://a:1', 'ipc:///run/b'],
    replayEndpoints: ['tcp://c:7'],
    bind: true,
    topic: 'kv',
  };
  expect(eventSources(configured, said)).toEqual([
    { eventsEndpoint: 'tcp://a:1', replayEndpoint: 'tcp://c:7', isBound: true, topic: 'kv' },
    { eventsEndpoint: 'ipc:///run/b', replayEndpoint: 'tcp://c:8', isBound: true, topic: 'kv' },
  ]);
});

test('an engine without events has none, one without replay has no replay', () => {
  expect(eventSources(settings, { eventsEndpoint: '', replayEndpoint: '' })).toEqual([]);
  const [source] = eventSources(settings, { ...said, replayEndpoint: '' });
  expect(source?.replayEndpoint).toBeUndefined();
});
