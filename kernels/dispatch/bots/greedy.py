"""greedy placeholder."""
from kernels.dispatch.bots.decorator import bot
@bot()
def greedy(rules, state, c, params, stream):
    return 0
