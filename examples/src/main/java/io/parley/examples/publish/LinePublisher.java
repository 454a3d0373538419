package io.parley.examples.publish;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.Console;
import io.parley.examples.console.Futures;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.TopicPublisher;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends lines to the followers of a topic. Prints which followers come and go, and how many lines were not sent to a lost one. One
 * thread sends.
 */
public final class LinePublisher {

    /** The maximum time for which a follower that gets every line stops the sender. */
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration NOTICE_DELAY = Duration.ofSeconds(2);

    /** The time in which the listener learns of the last lost follower. */
    private static final Duration REPORT_TIMEOUT = Duration.ofSeconds(1);

    private final TopicPublisher publisher;
    private final String name;
    private final Console console;

    private long reported;

    /**
     * Takes ownership of the publisher.
     *
     * @param name the name of the sender in each line
     */
    public LinePublisher(TopicPublisher publisher, String name, Console console) {
        this.publisher = publisher;
        this.name = name;
        this.console = console;
        publisher.addReceiverListener(new TopicPublisher.ReceiverListener() {
            @Override
            public void onOpened(PeerId receiver) {
                print("opened", receiver, "Peer " + receiver.shortText() + " follows the topic.", 0);
            }

            @Override
            public void onClosed(PeerId receiver) {
                LinePublisher.this.onClosed(receiver);
            }
        });
    }

    /** If several followers are lost in the same moment, the first one gets the lines of all. */
    private synchronized void onClosed(PeerId follower) {
        long lines = Math.max(0, unsent() - reported);
        reported += lines;
        print("closed", follower, "Peer " + follower.shortText() + " does not follow the topic any more.", lines);
        if (lines > 0) {
            console.notice("Peer " + follower.shortText() + " did not get " + TextFormatter.count(lines, "line")
                    + ". Send them again.");
        }
        notifyAll();
    }

    private void print(String event, PeerId follower, String line, long unsent) {
        if (console.isJson()) {
            JsonObject object = JsonObject.object().add("event", event).add("peer", follower.text());
            console.result(unsent == 0 ? object : object.add("unsent", unsent), line);
        } else {
            console.remark(line);
        }
    }

    /** Returns the number of lines that were not sent to lost followers, each counted for each of them. */
    private long unsent() {
        return publisher.droppedMessages() - publisher.replacedMessages();
    }

    /**
     * Sends a line. Waits while a follower that gets every line has no room.
     *
     * @throws ParleyException {@link ErrorCode#TIMEOUT} if it has none for too long, or another failure of the publisher
     */
    public void send(String line) throws InterruptedException {
        Message message = Message.builder()
                .add(AdvertisementPublisher.NAME, name)
                .add(AdvertisementPublisher.TEXT, line)
                .build();
        long deadline = System.nanoTime() + SEND_TIMEOUT.toNanos();
        while (!trySend(message)) {
            try {
                Futures.get(publisher.whenWritable(), deadline - System.nanoTime());
            } catch (TimeoutException e) {
                throw ErrorCode.TIMEOUT.exception(
                        "line not sent within " + TextFormatter.seconds(SEND_TIMEOUT)
                                + ", because a follower is too slow",
                        e);
            }
        }
    }

    /** Sends a message if there is room, and returns whether there was. The lock: a drop counts as replaced after the call. */
    private synchronized boolean trySend(Message message) {
        CompletableFuture<Void> sent = publisher.send(message);
        if (sent.isCompletedExceptionally()
                && Futures.failureOf(sent) instanceof ParleyException failure
                && failure.code() == ErrorCode.QUEUE_FULL) {
            return false;
        }
        Futures.join(sent);
        return true;
    }

    /**
     * Waits until the followers have all lines or are lost, then closes the publisher.
     *
     * @param timeout     the maximum time to wait for the followers
     * @param interrupted a future whose completion ends the wait
     * @return the number of lines that were not sent to lost followers, each counted for each of them
     */
    public long finish(Duration timeout, CompletableFuture<Void> interrupted) throws InterruptedException {
        CompletableFuture<Object> done = CompletableFuture.anyOf(publisher.whenIdle(), interrupted);
        if (!isDoneWithin(NOTICE_DELAY, done)) {
            console.notice("Waiting for followers that do not have the last lines yet. Ctrl-C ends this.");
            isDoneWithin(timeout, done);
        }
        publisher.close();
        return awaitReports();
    }

    private static boolean isDoneWithin(Duration timeout, CompletableFuture<Object> done) throws InterruptedException {
        try {
            Futures.get(done, timeout.toNanos());
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    private synchronized long awaitReports() throws InterruptedException {
        long deadline = System.nanoTime() + REPORT_TIMEOUT.toNanos();
        for (long left = deadline - System.nanoTime();
                reported < unsent() && left > 0;
                left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        long rest = unsent() - reported;
        if (rest > 0) {
            console.notice("Not sent to followers that did not read in time: " + TextFormatter.count(rest, "line")
                    + ". Send them again.");
        }
        return unsent();
    }
}
