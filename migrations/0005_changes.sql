-- What each cut changed, so that a page draws it and nothing is played again:
-- {"gone": [[from, to]], "shortened": [[message, tokens]], "inserted": [[before, speaker, tokens, kind]]}, each member
-- left out where it is empty; messages are those of the transcript, ranges end before `to`
alter table cuts add column change jsonb not null default '{}';

-- until now policies dropped the oldest messages only; what was pinned or gone already stands in the range as well
update cuts set change = jsonb_build_object('gone', jsonb_build_array(jsonb_build_array(0, kept_from)))
where kept_from > 0;
