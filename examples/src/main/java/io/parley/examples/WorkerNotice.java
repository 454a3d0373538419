package io.parley.examples;

import io.parley.examples.console.Console;
import io.parley.examples.console.TextFormatter;
import io.parley.pipes.TaskSender;

/**
 * Prints a line if tasks wait for a worker, and again if the last worker has gone. Each run is one check; two in a row that find no worker
 * are necessary, because the first task starts the search for one.
 */
final class WorkerNotice implements Runnable {

    private final String queue;
    private final TaskSender sender;
    private final Console console;
    private int waits;

    WorkerNotice(String queue, TaskSender sender, Console console) {
        this.queue = queue;
        this.sender = sender;
        this.console = console;
    }

    @Override
    public void run() {
        waits = sender.unfinishedTasks() > 0 && sender.workers().isEmpty() ? waits + 1 : 0;
        if (waits == 2) {
            console.notice("Waiting for a worker. On another terminal, run: parley work run "
                    + TextFormatter.oneLine(queue) + " -- COMMAND");
        }
    }
}
