package io.parley.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SettledFigureTest {

    @Test
    void improvingFigure_settlesAfterTheSteadyRounds() {
        SettledFigure figure = new SettledFigure(100, Long.MAX_VALUE);
        for (int rate : new int[] {10, 20, 40, 80, 82, 79, 81, 83}) {
            figure.add(rate, 1);
            assertThat(figure.isDone()).as("after rate %s", rate).isFalse();
        }
        figure.add(80, 1);

        assertThat(figure.isDone()).isTrue();
        assertThat(figure.warmUpRounds()).isEqualTo(4);
        assertThat(figure.median()).isEqualTo(81);
    }

    @Test
    void figureThatNeverSettles_endsAtTheLimits() {
        SettledFigure rounds = new SettledFigure(7, Long.MAX_VALUE);
        SettledFigure time = new SettledFigure(100, 50);
        double rate = 1;
        for (int round = 1; round <= 7; round++, rate *= 2) {
            assertThat(rounds.isDone()).isFalse();
            rounds.add(rate, 1);
        }
        time.add(1, 49);
        assertThat(time.isDone()).isFalse();
        time.add(2, 1);

        assertThat(rounds.isDone()).isTrue();
        assertThat(time.isDone()).isTrue();
        assertThat(time.warmUpRounds()).isZero();
        assertThat(time.median()).isEqualTo(2);
    }
}
