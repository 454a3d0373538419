package io.parley.examples.console;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Displays a progress bar on a terminal. */
final class ConsoleProgressBar implements Progress {

    /** Fixed, because a query of the real width would load a terminal library. Every terminal has 80 columns. */
    private static final int WIDTH = 79;

    private static final long MIB = 1024 * 1024;

    private final ProgressBar bar;

    ConsoleProgressBar(PrintStream out, String task, long totalBytes) {
        bar = new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(totalBytes)
                .setUnit(" MiB", MIB)
                .setStyle(ProgressBarStyle.ASCII)
                .setConsumer(new ConsoleProgressBarConsumer(out, WIDTH))
                .setUpdateIntervalMillis(200)
                .showSpeed()
                .build();
    }

    @Override
    public void advance(long bytes) {
        bar.stepBy(bytes);
    }

    @Override
    public void skip(long bytes) {
        bar.stepBy(bytes);
    }

    @Override
    public void close() {
        bar.close();
    }
}
