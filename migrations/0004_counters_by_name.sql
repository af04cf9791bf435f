-- Counters and intervals by name, so that a counter more or less is no migration, and old runs stay readable.

-- eight bytes from `at` on, big-endian, as IEEE 754 has them; null where they are no number
create function pg_temp.double_at(bytes bytea, at integer) returns double precision language plpgsql as $$
declare
    exponent integer := ((get_byte(bytes, at) & 127) << 4) | (get_byte(bytes, at + 1) >> 4);
    fraction double precision := get_byte(bytes, at + 1) & 15;
begin
    for i in 2..7 loop
        fraction := fraction * 256 + get_byte(bytes, at + i);
    end loop;
    if exponent = 2047 then
        return null;
    end if;
    if exponent = 0 then
        return 0;
    end if;
    return (case when get_byte(bytes, at) > 127 then -1 else 1 end)
        * (1 + fraction / 4503599627370496.0) * power(2.0::double precision, exponent - 1023);
end
$$;

-- the order in which the only version so far wrote them
create function pg_temp.intervals_of(bytes bytea) returns jsonb language sql as $$
    select coalesce(jsonb_object_agg(metric, jsonb_build_array(low, high)), '{}')
    from (
        select metric, pg_temp.double_at(bytes, (place::integer - 1) * 16) as low,
               pg_temp.double_at(bytes, (place::integer - 1) * 16 + 8) as high
        from unnest(array['rate_400_calls', 'rate_over_window', 'bad_cut_share', 'target_missed_share',
                          'overshoot_ratio', 'excess_per_cut']) with ordinality as known (metric, place)
        where octet_length(bytes) >= place * 16
    ) as read
    where low is not null and high is not null
$$;

alter table cells add column counters jsonb, add column intervals_by_metric jsonb;

update cells set
    counters = to_jsonb(cells) - array['id', 'run_id', 'position', 'key', 'policy', 'trigger', 'target', 'window', 'mode',
                                       'sketch', 'intervals', 'counters', 'intervals_by_metric'],
    intervals_by_metric = pg_temp.intervals_of(intervals);

alter table cells
    drop column sessions, drop column calls, drop column sessions_compacted, drop column compactions,
    drop column bad_cuts, drop column sessions_400, drop column calls_400, drop column depends_calls,
    drop column baseline_invalid_calls, drop column target_missed, drop column sessions_over_window,
    drop column over_window, drop column sessions_exact, drop column freed, drop column deficit,
    drop column freed_reached, drop column deficit_reached, drop column tokens_before, drop column tokens_after,
    drop column prefix_tokens, drop column evicted_messages, drop column truncated_tokens, drop column intervals;
alter table cells rename column intervals_by_metric to intervals;
-- null while the run is under way
alter table cells alter column sketch drop not null;

-- counters that are 0 are left out
alter table outcomes add column counters jsonb;
update outcomes set
    counters = jsonb_strip_nulls(
        to_jsonb(outcomes) - array['cell_id', 'session_id', 'first_bad_call', 'diverged_at', 'counters']);
drop index outcomes_broken;
alter table outcomes
    drop column calls, drop column compactions, drop column bad_cuts, drop column calls_400, drop column depends_calls,
    drop column baseline_invalid_calls, drop column target_missed, drop column over_window, drop column freed,
    drop column deficit, drop column freed_reached, drop column deficit_reached, drop column tokens_before,
    drop column tokens_after, drop column prefix_tokens, drop column evicted_messages, drop column truncated_tokens,
    alter column counters set not null,
    -- what lists sort by
    add column calls_400 bigint not null generated always as (coalesce((counters ->> 'calls_400')::bigint, 0)) stored;
create index outcomes_broken on outcomes (cell_id, calls_400 desc, session_id) where calls_400 > 0;

drop function pg_temp.intervals_of(bytea);
drop function pg_temp.double_at(bytea, integer);
