# SPDX-License-Identifier: ISC
# fish completion of aegshctl(8) and aegsh(1): asks aegshctl itself.

function __aegshctl_words
	set -l words (commandline -opc)
	set -l cur (commandline -ct)
	for line in (aegshctl __complete (basename -- $words[1]) \
	    $words[2..-1] $cur 2>/dev/null)
		switch $line
			case ':file'
				__fish_complete_path $cur
			case ':directory'
				__fish_complete_directories $cur
			case ':user'
				__fish_complete_users
			case '*'
				printf '%s\n' $line
		end
	end
end
complete -c aegshctl -f -a '(__aegshctl_words)'
complete -c aegsh -f -a '(__aegshctl_words)'
