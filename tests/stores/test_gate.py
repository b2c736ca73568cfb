"""The gate: so many at once, the furthest first, and no place lost, also when who waits is cancelled."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from stores.gate import PLACES, Gate, gate


async def busy(opened, done, step, began):
    async with opened.place(step):
        began.append(step)
        await done.wait()


def test_the_turn_that_is_furthest_along_goes_first():
    async def run():
        opened, done, began = Gate(), asyncio.Event(), []
        tasks = [asyncio.create_task(busy(opened, done, step, began)) for step in (0, 0, 1, 5, 3, 5)]
        await asyncio.sleep(0)
        assert began == [0] * PLACES
        done.set()
        await asyncio.gather(*tasks)
        return began

    assert asyncio.run(run()) == [0, 0, 5, 5, 3, 1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 3), st.booleans()), max_size=12))
def test_never_more_than_there_are_places_and_none_is_lost(jobs):
    async def run():
        opened, inside, most = Gate(), 0, 0

        async def work(step, pauses):
            nonlocal inside, most
            async with opened.place(step):
                inside += 1
                most = max(most, inside)
                try:
                    for _ in range(pauses):
                        await asyncio.sleep(0)
                finally:
                    inside -= 1

        tasks = []
        for step, pauses, cancelled in jobs:
            tasks.append(asyncio.create_task(work(step, pauses)))
            await asyncio.sleep(0)
            if cancelled:
                tasks[step % len(tasks)].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (most <= PLACES, inside) == (True, 0)
        for _ in range(PLACES):
            await asyncio.wait_for(opened.place(0).__aenter__(), 1)

    asyncio.run(run())


def test_a_place_that_was_given_to_one_who_is_cancelled_goes_on_to_the_next():
    async def run():
        opened, done, began = Gate(), asyncio.Event(), []
        inside = [opened.place(0) for _ in range(PLACES)]
        for one in inside:
            await one.__aenter__()
        first, second = (asyncio.create_task(busy(opened, done, step, began)) for step in (2, 1))
        await asyncio.sleep(0)
        await inside[0].__aexit__(None, None, None)
        first.cancel()
        done.set()
        await asyncio.wait_for(second, 1)
        return began, first.cancelled()

    assert asyncio.run(run()) == ([1], True)


def test_every_event_loop_has_its_own():
    async def mine():
        assert gate() is gate()
        return gate()

    assert asyncio.run(mine()) is not asyncio.run(mine())
