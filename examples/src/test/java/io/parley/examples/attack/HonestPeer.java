package io.parley.examples.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.examples.ProgramJvm;
import io.parley.testkit.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The process of a peer that is connected to the attacked one, pings it and sends it messages all the time. */
final class HonestPeer implements AutoCloseable {

    /** The maximum time of a ping or a message. The usual tests assert no time, so theirs is that of all waits. */
    private static final Duration TIMEOUT = AttackScene.LONG ? Duration.ofSeconds(5) : Eventually.DEADLINE;

    private final CommandProcess process;

    /** The times of pings and messages. */
    record Times(int count, Duration median, Duration p99, Duration longest) {

        private static Times of(long[] sorted) {
            return new Times(
                    sorted.length,
                    Duration.ofNanos(sorted[sorted.length / 2]),
                    Duration.ofNanos(sorted[sorted.length * 99 / 100]),
                    Duration.ofNanos(sorted[sorted.length - 1]));
        }

        @Override
        public String toString() {
            return count + " pings and messages, median " + micros(median) + ", p99 " + micros(p99) + ", longest "
                    + micros(longest);
        }

        private static String micros(Duration time) {
            return time.toNanos() / 1000 + " us";
        }
    }

    /** @param from the address from which the peer connects */
    HonestPeer(String from, AttackedPeer attacked) throws IOException {
        List<String> command = ProgramJvm.java(System.getProperty("java.class.path"));
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                HonestPeerProcess.class.getName(),
                from,
                attacked.address().toString(),
                TIMEOUT.toString()));
        process = new CommandProcess(new ProcessBuilder(AttackScene.asOnAMachineOfItsOwn(command))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        assertThat(process.readLine()).isEqualTo("connected");
    }

    /** Returns the number of pings so far. */
    long rounds() {
        return Long.parseLong(process.execute(HonestPeerProcess.ROUNDS));
    }

    /** Waits for some time, measured in pings. */
    void awaitRounds(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(process.execute(HonestPeerProcess.AWAIT)).isEqualTo("done");
        }
    }

    /** Requires that all pings and messages since the last call were successful, and those after this call. */
    Times assertServed() {
        awaitRounds(2);
        String[] answer = process.execute(HonestPeerProcess.TIMES).split(HonestPeerProcess.FAILURE);
        assertThat(List.of(answer).subList(1, answer.length)).isEmpty();
        return Times.of(
                Stream.of(answer[0].split(" ")).mapToLong(Long::parseLong).toArray());
    }

    @Override
    public void close() {
        process.close();
    }
}
