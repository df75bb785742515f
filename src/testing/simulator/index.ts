/**
 * Deterministic simulation: the real runtime over a simulated network, server and clock, all from one seed. Thousands of
 * faults at the worst moments, with sentences that must hold at every step; a seed that breaks one replays and shrinks.
 */
export { type CampaignOptions, type CampaignReport, seedSchedule, simulate, summarizeCampaign } from './campaign.js'
export { type Crowd, type CrowdStep, crowdOf } from './crowd.js'
export { type LossDialect, lossDialects } from './refusals.js'
export type { SimulationOptions, SimulationResult } from './result.js'
export { type Deed, type Misfortune, type Schedule, type ScheduledStep, scheduleOf } from './schedule.js'
export { onlySteps, type Shrunk, shrink } from './shrink.js'
export { runSchedule } from './simulation.js'
export type { Traits } from './traits.js'
export type { Breach } from './watch.js'
