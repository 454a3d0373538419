package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are members of one group, and of which one is killed. */
@Tag("process")
@Timeout(180)
class MembersProcessTest {

    private static final int MEMBERS = 4;

    @TempDir
    private Path directory;

    private ParleyProcess start(RendezvousFixture rendezvous, int number) throws IOException {
        return rendezvous.startClient(
                directory,
                "members",
                "-g",
                "weather",
                "--name",
                "member" + number,
                "--address",
                ParleyProcess.ANY_PORT);
    }

    @Test
    void linesOfEachMember_arePrintedByAllOthers_alsoAfterOneWasKilled() throws Exception {
        List<ParleyProcess> members = new ArrayList<>();
        try (RendezvousFixture rendezvous = RendezvousFixture.start(directory)) {
            for (int i = 0; i < MEMBERS; i++) {
                members.add(start(rendezvous, i));
            }
            List<ParleyProcess.Lines> printed = new ArrayList<>();
            for (ParleyProcess member : members) {
                printed.add(member.lines());
                // With four members, each has the three others as neighbors.
                member.errors().awaitContaining("Connected to " + (MEMBERS - 1) + " members.");
            }
            for (int sender = 0; sender < MEMBERS; sender++) {
                members.get(sender).type("line of " + sender);
                for (int receiver = 0; receiver < MEMBERS; receiver++) {
                    if (receiver != sender) {
                        String line = "member" + sender + " \\(\\w{8}\\): line of " + sender;
                        printed.get(receiver).await(text -> text.matches(line));
                    }
                }
            }
            members.get(0).kill();
            for (ParleyProcess left : members.subList(1, MEMBERS)) {
                left.errors().awaitContaining("Connected to " + (MEMBERS - 2) + " members.");
            }
            members.get(1).type("later");
            for (int receiver = 2; receiver < MEMBERS; receiver++) {
                printed.get(receiver).await(text -> text.matches("member1 \\(\\w{8}\\): later"));
            }
            assertThat(members.get(1).errors().toString()).doesNotContain("\tat ");
        } finally {
            members.forEach(ParleyProcess::close);
        }
    }
}
