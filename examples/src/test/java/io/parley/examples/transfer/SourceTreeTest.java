package io.parley.examples.transfer;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.examples.console.CommandFailedException;
import io.parley.examples.transfer.SourceTree.SourceFile;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SourceTreeTest {

    @Test
    void namesThatNoReceiverAccepts_areRefused() {
        TransferPath path = new TransferPath(("d".repeat(199) + "/").repeat(20) + "f");
        int count = TransferProtocol.MAX_PATH_BYTES / path.bytes() + 1;
        List<SourceFile> files = Collections.nCopies(count, new SourceFile(path, Path.of("source"), 1));

        assertThatThrownBy(() -> new SourceTree(List.of(), files, 0))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("bytes");
    }
}
